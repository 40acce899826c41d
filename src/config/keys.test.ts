import { expect, test } from "vitest"
import { expectGenerated } from "../../test/support/generated.ts"
import { ABOUT } from "./about.ts"
import { listConfigKeys } from "./keys.ts"

const HEAD = `# Configuration

Every key of \`coppice.yml\`. \`*\` stands for a name. The file is optional, and so is every key but \`version\`.
\`coppice config explain <key>\` shows the value that applies to a home, and \`coppice config set <key> <value>\` changes
it. A value may hold \`\${VAR}\` and \`\${VAR:-default}\`.
`

test("every key has a description, and every description a key [31.8]", () => {
  const keys = listConfigKeys()
  expect(keys.filter(({ about }) => about === "").map(({ path }) => path)).toEqual([])
  const known = keys.map(({ path }) => path)
  expect(Object.keys(ABOUT).filter((path) => !known.includes(path))).toEqual([])
})

test("the reference in the docs is that of the schema [31.8]", async () => {
  const cell = (text: string) => text.replaceAll("|", "\\|")
  const keys = listConfigKeys().filter(({ path }) => !path.startsWith("defaults."))
  const parts = Map.groupBy(keys, ({ path }) => path.split(".")[0] ?? "")
  const tables = [...parts].map(([part, keys]) => {
    const rows = keys.map(({ path, values, default: value, about }) => {
      const shown = value === undefined ? "" : `\`${JSON.stringify(value).replaceAll('"', "")}\``
      return `| \`${path}\` | ${cell(values)} | ${cell(shown)} | ${cell(about)} |`
    })
    return `\n## ${part}\n\n| key | values | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`
  })
  await expectGenerated("docs/generated/configuration.md", HEAD + tables.join(""))
})
