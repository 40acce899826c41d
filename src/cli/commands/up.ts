/** `up [-d]`: is the daemon, or starts it in the background. */
import { refuseAgents } from "../../client/connect.ts"
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
      refuseAgents(env)
      const start = {
        home: findHome(cwd, { home, env }).home,
        fromCommand: values["from-command"] === true,
      }
      return runDaemon(json ? { ...start, onReady: (status) => output.document(status) } : start)
    }
    const status = await (await connect()).up()
    if (json) output.document(status)
    else output.lines(statusLines(output, status))
    return 0
  },
}
