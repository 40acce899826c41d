/** `config set <key> <value>`: changes a key of coppice.yml. */
import { setConfigKey } from "../../../api/client/config/change-config.ts"
import { refuseAgents } from "../../../api/client/connect.ts"
import { findHome } from "../../../api/client/home.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"

export const command: Command = {
  operands: "<key> <value>",
  options: {},
  details: [
    "Keeps comments, and writes only a valid file. The value is read as YAML: `20m`, `false`, `[.env]`.",
    "Approves its own change, unless the file waited for your approval before.",
  ].join("\n"),

  async run({ output, json, cwd, env, home }, [key, value, ...rest]) {
    if (!key || value === undefined || rest.length > 0)
      throw new UsageError("`config set` takes a key and a value.", ["Quote the value."])
    refuseAgents(env)
    const changed = setConfigKey(findHome(cwd, { home, env }), { key, given: value }, env)
    const { path, overridden } = changed
    if (json) output.document({ path, overridden })
    else output.line(`Wrote ${path}.`)
    if (overridden) {
      const keys = overridden.keys.map((one) => `\`${one}\``).join(", ")
      output.note(`${overridden.path} wins over coppice.yml: its value of ${keys} counts.`)
    }
    if (changed.needsTrust) output.note("It waits for your approval: `coppice trust`.")
    return 0
  },
}
