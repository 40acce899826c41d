/** The list of tools in the documents, and what each kind of tool may do. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { z } from "zod"
import { expectGenerated } from "../../../test/support/generated.ts"
import { TOOLS } from "./tools.ts"

const DOCUMENT = "docs/mcp.md"
const LIST = /(?<=<!-- tools -->\n)[^]*(?=<!-- \/tools -->)/

test("docs/mcp.md lists the tools of the code [37.1]", async () => {
  const rows = Object.entries(TOOLS).map(([name, { rights, about, input }]) => {
    const inputs = Object.entries(input).map(([key, schema]) =>
      z.safeParse(schema, undefined).success ? `${key}?` : key,
    )
    return `| \`${name}\` | ${rights} | ${inputs.map((key) => `\`${key}\``).join(" ")} | ${about} |`
  })
  const head = "| tool | kind | inputs | effect |\n|---|---|---|---|\n"
  const list = `${head}${rows.join("\n")}\n`
  const text = readFileSync(DOCUMENT, "utf8").replace(LIST, () => list)
  await expectGenerated(DOCUMENT, text)
})

test("every decision of a person is a tool that decides [37.3]", () => {
  const named = Object.entries(TOOLS).filter(([, { rights }]) => rights === "decides")
  const decisions = ["approve", "reject", "answer", "undo", "cancel_task"]
  expect(named.map(([name]) => name)).toEqual(decisions)
})
