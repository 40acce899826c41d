/** `status`: says whether the daemon runs. Never starts one. */
import type { Command } from "../command.ts"
import { statusLines } from "../format/status.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Never starts the daemon. Exits 0 even if it does not run.",

  async run({ connect, output, json }, positionals) {
    noOperands(positionals, "status")
    const status = await (await connect()).status()
    if (json) output.document(status)
    else output.lines(statusLines(output, status))
    return 0
  },
}
