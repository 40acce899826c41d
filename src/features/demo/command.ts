/** `demo`: four tasks on a scratch repository, with a script in the agent's place. */

import type { Command } from "../../surfaces/cli/command.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import { PRINT, showPage } from "../../surfaces/cli/show-page.ts"
import { beginDemo } from "./begin-demo.ts"

export const command: Command = {
  operands: "",
  options: PRINT,
  details:
    "Makes a repository in a new temporary folder, starts four tasks there, and opens the dashboard.\n" +
    "A script plays the agent: no account and no network. Two tasks change the same line, and one\n" +
    "waits for your approval. Your own repositories are not touched.",

  async run(shell, positionals, values) {
    noOperands(positionals, "demo")
    const client = await beginDemo(shell.env)
    shell.output.note(`The demo's repository: ${client.home} (\`coppice ls --home\` takes it, too)`)
    await showPage(shell, client, values)
    return 0
  },
}
