import { expect, test } from "vitest"
import { expectGenerated } from "../../../test/support/generated.ts"
import { COMMANDS } from "./commands.ts"
import { describe as describeCommand } from "./help.ts"

test("the reference in the docs is the help of every command [35.1]", async () => {
  const sections = await Promise.all(
    COMMANDS.map(async (listed) => {
      const { command } = await listed.load()
      return `## ${listed.name}\n\n\`\`\`\n${describeCommand(listed, command)}\n\`\`\`\n`
    }),
  )
  const text = ["# Commands\n", ...sections].join("\n")
  await expectGenerated("docs/generated/cli.md", text)
})

test("no line of help is wider than a terminal", async () => {
  for (const listed of COMMANDS) {
    const lines = describeCommand(listed, (await listed.load()).command).split("\n")
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  }
})
