/** `mcp`: an MCP server on stdin and stdout, for a person's own programs. */

import { refuseAgents } from "../../../api/client/connect.ts"
import { util } from "../../../api/client/node-builtins.ts"
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {
    "read-only": { type: "boolean", about: "Offer only tools that change nothing" },
  },
  details:
    "A program starts this and calls its tools: `claude mcp add coppice -- coppice mcp` for Claude Code.\n" +
    "The program acts as you. Where a decision is yours, such as an approval, it shows you a dialog\n" +
    "first. Ends when its input ends.",

  async run({ output, askLine, cwd, env, home, serveMcp }, positionals, values) {
    noOperands(positionals, "mcp")
    refuseAgents(env)
    if (askLine) output.note("This waits for an MCP client on its input. Ctrl-C ends it.")
    const onBug = (error: unknown) => output.note(util.inspect(error))
    await serveMcp({ cwd, env, home, readOnly: values["read-only"] === true, onBug })
    return 0
  },
}
