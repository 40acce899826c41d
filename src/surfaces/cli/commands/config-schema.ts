/** `config schema`: prints the JSON Schema of coppice.yml. */
import { configJsonSchema } from "../../../config/keys.ts"
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "For editors that complete and check the file.",

  async run({ output }, positionals) {
    noOperands(positionals, "config schema")
    output.document(configJsonSchema())
    return 0
  },
}
