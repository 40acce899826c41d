/** `config check`: reads coppice.yml and reports its mistakes. */
import { parseConfigText } from "../../../api/client/config/config-file.ts"
import { findAbsent, findExposed } from "../../../api/client/config/config-findings.ts"
import { readHomeConfig } from "../../../api/client/config/config-layers.ts"
import { findHome } from "../../../api/client/home.ts"
import type { ConfigDocument } from "../../../api/wire/home.ts"
import { ConfigError } from "../../../config/errors.ts"
import type { Command } from "../command.ts"
import { plural } from "../format/text.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Changes nothing. Exits 2 if the file has problems.",

  async run({ output, json, cwd, env, home: from }, positionals) {
    noOperands(positionals, "config check")
    const home = findHome(cwd, { home: from, env })
    const { path, text, workflows } = readHomeConfig(home.home, env)
    const config = parseConfigText({ home: home.home, path }, text, env)
    const absent = findAbsent(home, config)
    if (absent.length > 0) throw new ConfigError(path, absent)
    const repos = config.repos.map(({ name }) => name)
    const agents = config.agents.map(({ name }) => name)
    const idle = workflows.flatMap(({ path, idle }) => idle.map((one) => `${path}: ${one}.`))
    const warnings = [...(await findExposed(home, config, env)), ...idle]
    const document: ConfigDocument = { path: home.configPath, repos, agents, warnings }
    const has = `${countAndNames(repos, "repo")}, ${countAndNames(agents, "agent")}`
    const what = text !== null ? `${path} is valid` : "No coppice.yml: the defaults apply"
    if (json) output.document(document)
    else output.lines([`${what}: ${has}.`, ...warnings.map((text) => `Warning: ${text}`)])
    return 0
  },
}

function countAndNames(names: readonly string[], noun: string): string {
  return `${plural(names.length, noun)} (${names.join(", ")})`
}
