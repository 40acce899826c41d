/** `up [-d]`: is the daemon, or starts it in the background. */
import { findHome } from "../../client/home.ts"
import type { Command } from "../command.ts"
import { statusLines } from "../format/status.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {
    detach: { type: "boolean", short: "d", about: "Start it in the background" },
    "from-command": { type: "boolean", about: "Used by commands that need a daemon" },
  },
  details: "Commands that need the daemon start it by themselves; it then ends when it is idle.",

  async run({ connect, output, json, runDaemon, cwd, env, home }, positionals, values) {
    noOperands(positionals, "up")
    if (!values["detach"]) {
      const fromCommand = values["from-command"] === true
      return runDaemon({ home: findHome(cwd, { home, env }).home, fromCommand })
    }
    const status = await (await connect()).up()
    if (json) output.document(status)
    else output.lines(statusLines(output, status))
    return 0
  },
}
