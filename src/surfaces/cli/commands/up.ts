/** `up [-d]`: runs the daemon, in the background with -d. */
import { resolve } from "node:path"
import { refuseAgents } from "../../../api/client/connect.ts"
import { findHome } from "../../../api/client/home.ts"
import { adoptState } from "../../../api/client/move-state.ts"
import { HomeMovedError } from "../../../api/client/moved-home.ts"
import { stateDir } from "../../../api/client/state-dir.ts"
import type { StatusDocument } from "../../../api/wire/home.ts"
import { refuseUnapproved } from "../../../features/trust/find-unapproved.ts"
import type { Command, Shell } from "../command.ts"
import { UsageError } from "../errors.ts"
import { statusLines } from "../format/status.ts"
import { noOperands, textValue } from "../operands.ts"
import { EXPOSED, OUTER_OPTIONS, outerAddress } from "../outer-address.ts"

export const command: Command = {
  operands: "",
  options: {
    detach: { type: "boolean", short: "d", about: "Run it in the background" },
    "moved-from": {
      type: "string",
      value: "<folder>",
      about: "Take over the tasks of a home that moved here from another disk",
    },
    ...OUTER_OPTIONS,
    "from-command": { type: "boolean", about: "Used by commands that need a daemon" },
  },
  details:
    "You rarely need this: commands start the daemon themselves, and such a daemon ends when idle.",

  async run({ connect, output, json, runDaemon, cwd, env, home }, positionals, values) {
    noOperands(positionals, "up")
    const from = textValue(values, "moved-from")
    if (from !== undefined) await adoptStateOf(findHome(cwd, { home, env }).home, from, env)
    if (!values["from-command"]) refuseUnapproved(findHome(cwd, { home, env }), env)
    const outer = outerAddress(values)
    if (!values["detach"]) {
      refuseAgents(env)
      const fromCommand = values["from-command"] === true
      const onReady = (status: StatusDocument) => {
        if (json) output.document(status)
        else if (!fromCommand)
          output.note(
            `coppice: serving ${status.home} at ${status.address} (\`coppice ui\` opens it)`,
          )
        if (outer) output.note(EXPOSED)
      }
      return runDaemon({ home: findHome(cwd, { home, env }).home, fromCommand, outer, onReady })
    }
    const status = await (await connect()).up()
    if (json) output.document(status)
    else output.lines(statusLines(output, status))
    return 0
  },
}

/** Only if the state of that folder is the one that this home may continue. */
async function adoptStateOf(home: string, from: string, env: Shell["env"]): Promise<void> {
  refuseAgents(env)
  try {
    stateDir(home, env)
  } catch (error) {
    if (!(error instanceof HomeMovedError) || error.moved.from !== resolve(from)) throw error
    return await adoptState(error.moved)
  }
  throw new UsageError(`${home} has its own state, or was never at ${from}.`, [
    "`coppice ls --all-homes` lists every home and its folder.",
  ])
}
