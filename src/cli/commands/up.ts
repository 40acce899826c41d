/** `up [-d]`: runs the daemon, in the background with -d. */
import { refuseAgents } from "../../client/connect.ts"
import { findHome } from "../../client/home.ts"
import { refuseUnapproved } from "../../client/trust/examine.ts"
import type { StatusDocument } from "../../core/wire/home.ts"
import type { Command } from "../command.ts"
import { statusLines } from "../format/status.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {
    detach: { type: "boolean", short: "d", about: "Run it in the background" },
    "from-command": { type: "boolean", about: "Used by commands that need a daemon" },
  },
  details:
    "You rarely need this: commands start the daemon themselves, and such a daemon ends when idle.",

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
