import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { KNOWN_AGENTS } from "./known-agents.ts"
import { type Abilities, RUNTIMES } from "./runtimes.ts"

const DOCUMENT = join(import.meta.dirname, "../../docs/runtimes.md")

const ROWS: readonly (readonly [string, (of: Abilities) => boolean | string])[] = [
  ["`model`, `run --model`", ({ model }) => model],
  ["a brief around the prompt", ({ prompts }) => prompts === "framed"],
  ["`permissions`", ({ permissions }) => permissions],
  ["`mcp_servers`", ({ servers }) => servers],
  ["its own questions reach a person", ({ questions }) => questions],
  ["counts tokens", ({ tokens }) => tokens],
  ["counts dollars", ({ cost }) => cost],
  ["a landing decides before it stops", ({ verdict }) => verdict !== "none"],
  [
    "by a Stop hook",
    ({ verdict }) => (verdict === "idle" ? "the same, at the end of its turn" : verdict === "hook"),
  ],
  ["`say --now` joins the turn that runs", ({ messages }) => messages === "steer"],
  ["`say --now` interrupts it", ({ messages }) => messages === "interrupt"],
  ["images", ({ images }) => (images === "asked" ? "if its program does" : images)],
  [
    "`run --fork` copies the conversation",
    ({ fork }) => (fork === "maybe" ? "if its program does" : fork === "yes"),
  ],
  ["`coppice attach`", ({ attach }) => attach],
]

const wordOf = (has: boolean | string): string =>
  typeof has === "string" ? has : has ? "yes" : "no"

test("the table in the docs has the abilities of every runtime", async () => {
  const all = Object.entries(RUNTIMES)
  const head = `| ability | ${all.map(([name]) => `\`${name}\``).join(" | ")} |`
  const rows = ROWS.map(
    ([name, has]) => `| ${name} | ${all.map(([, of]) => wordOf(has(of))).join(" | ")} |`,
  )
  await expectPart("runtimes", [head, `|${"---|".repeat(all.length + 1)}`, ...rows])
})

test("the table in the docs has every known program [30.12]", async () => {
  const rows = KNOWN_AGENTS.map(({ name, program: { runtime, command }, install, oldest }) => {
    const words = [command ?? []].flat().join(" ")
    const starts = words ? `\`${words}\`` : `runtime \`${runtime}\``
    const since = oldest ? `${oldest.major}.${oldest.minor}` : "any"
    return `| \`${name}\` | ${starts} | ${since} | \`${install.replace("|", "\\|")}\` |`
  })
  const head = "| `run --agent` | starts | oldest version | to install |"
  await expectPart("programs", [head, `|${"---|".repeat(4)}`, ...rows])
})

/** The part of the document between two marks of this name is this table. */
async function expectPart(name: string, lines: readonly string[]): Promise<void> {
  const part = new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- /${name} -->)`)
  const table = `${lines.join("\n")}\n`
  const text = await readFile(DOCUMENT, "utf8")
  if (process.env["UPDATE"])
    await writeFile(
      DOCUMENT,
      text.replace(part, () => table),
    )
  const [found] = part.exec(await readFile(DOCUMENT, "utf8")) ?? []
  expect(found, "docs/runtimes.md is stale: run UPDATE=1").toBe(table)
}
