/** `up [-d]`: is the daemon, or starts it in the background. */
import { refuseAgents } from "../../client/connect.ts"
import { findHome } from "../../client/home.ts"
import { refuseUnapproved } from "../../client/trust/examine.ts"
import type { StatusDocument } from "../../core/wire.ts"
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
    if (!values["from-command"]) refuseUnapproved(findHome(cwd, { home, env }), env)
    if (!values["detach"]) {
      refuseAgents(env)
      const fromCommand = values["from-command"] === true
      const onReady = (status: StatusDocument) => {
        if (json) output.document(status)
        else if (!fromCommand) output.note(`coppice: serving ${status.home} at ${status.address}`)
      }
      return runDaemon({ home: findHome(cwd, { home, env }).home, fromCommand, onReady })
    }
    const status = await (await connect()).up()
    if (json) output.document(status)
    else output.lines(statusLines(output, status))
    return 0
  },
}
