/** `demo`: four tasks on a scratch repository, with a script in the agent's place. */
import { beginDemo } from "../../client/demo/begin-demo.ts"
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"
import { PRINT, showPage } from "../show-page.ts"

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
