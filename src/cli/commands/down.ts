/** `down`: ends the daemon and its agents. */
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Waits until it has ended. Tasks keep their state and continue with the next `up`.",

  async run({ connect, output, json }, positionals) {
    noOperands(positionals, "down")
    const client = await connect()
    const { running } = await client.status()
    const status = await client.down()
    if (json) output.document(status)
    else output.line(running ? "The daemon has ended." : "No daemon was running.")
    return 0
  },
}
