/**
 * Every bound has a name and a reason (law 12). The list is generated from the source: a constant whose
 * name ends in MAX or MIN, its value, and the comment on it or on its group.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { expectGenerated } from "./support/generated.ts"
import { listSources, ROOT } from "./support/source.ts"

const HEAD = `# Bounds

The limits of Coppice, and why. Generated from the constants in the source, by \`UPDATE=1 npm test\`.
Settings of coppice.yml are in [the reference](configuration.md).

| where | bound | value | why |
|---|---|---|---|
`

/** A comment, then constants without an empty line between them. */
const GROUP = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n((?:(?:export )?const [^\n]*\n(?: [^\n]*\n)*)+)/g
const BOUND = /^(?:export )?const ([A-Z][A-Z0-9_]*_(?:MAX|MIN)) = ([^\n]+)$/gm

type Bound = { readonly path: string; readonly name: string; readonly value: string }

function listBounds() {
  return listSources().flatMap((path) => {
    const text = readFileSync(join(ROOT, path), "utf8")
    const reasons = new Map<string, string>()
    for (const [, comment = "", constants = ""] of text.matchAll(GROUP))
      for (const [, name = ""] of constants.matchAll(BOUND)) reasons.set(name, plain(comment))
    return [...text.matchAll(BOUND)].map(([, name = "", value = ""]) => {
      const why = reasons.get(name) ?? /\/\/ (.+)$/.exec(value)?.[1]
      return { path, name, value: value.replace(/ *\/\/.*$/, ""), why }
    })
  })
}

const plain = (comment: string) =>
  comment
    .replaceAll(/\n? +\* ?/g, " ")
    .trim()
    .replace(/\s+/g, " ")
const cell = (text: string) => text.replaceAll("|", "\\|")

test("every bound has a reason, and the list in the docs is the one of the source", async () => {
  const bounds = listBounds()
  const unexplained = bounds.filter(({ why }) => !why).map(({ path, name }) => `${path}: ${name}`)
  expect(unexplained).toEqual([])
  const row = ({ path, name, value, why }: Bound & { readonly why: string | undefined }) =>
    `| \`${path.replace(/^src\//, "")}\` | \`${name}\` | \`${cell(value)}\` | ${cell(why ?? "")} |\n`
  await expectGenerated("docs/generated/bounds.md", HEAD + bounds.map(row).join(""))
})
