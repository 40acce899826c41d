/** `config explain <key>`: shows the value of a key, its origin and its meaning. */
import { explainKey } from "../../../api/client/config/change-config.ts"
import { findHome } from "../../../api/client/home.ts"
import type { ConfigKeyDocument } from "../../../api/wire/home.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"

export const command: Command = {
  operands: "<key>",
  options: {},
  details:
    "Takes a key such as `agents.claude.session.max_turns`, or a section, and names the file of each key.\n" +
    "Shows variables as they are written.",

  async run({ output, json, cwd, env, home }, [key, ...rest]) {
    if (!key || rest.length > 0) throw new UsageError("`config explain` takes one key.")
    const found = explainKey(findHome(cwd, { home, env }), key, env)
    if (json) output.document(found)
    else output.lines(lines(found))
    return 0
  },
}

function lines({ key, value, origin, path, keys, about, values }: ConfigKeyDocument): string[] {
  const shown = typeof value === "string" ? value : JSON.stringify(value)
  const from = {
    file: `from ${path}`,
    defaults: `from \`defaults\` in ${path}`,
    default: "the default",
    none: "not set",
  }[origin]
  return [
    origin === "none" ? `${key} (not set)` : `${key}: ${shown} (${from})`,
    ...placesOf(keys),
    about,
    `Takes: ${values}.`,
  ]
}

/** Only if they differ. */
function placesOf(keys: ConfigKeyDocument["keys"]): string[] {
  const told = keys.map(({ key, origin, path }) => ({
    key,
    place: origin === "defaults" ? `\`defaults\` in ${path}` : path,
  }))
  if (new Set(told.map(({ place }) => place)).size < 2) return []
  return told.map(({ key, place }) => `  ${key}: from ${place}`)
}
