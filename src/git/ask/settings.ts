/** Reads in one step the repository's settings that a candidate depends on. */
import { listConfig } from "./config.ts"
import { committerOf, type Identity } from "./identity.ts"

export type Settings = {
  readonly committer: Identity
  /** Names of the merge drivers that may run: not those that we overrule, see programs.ts. */
  readonly drivers: readonly string[]
}

const KEYS = "^((user|committer)\\.(name|email)|merge\\..*\\.driver)$"

/** The command of a merge driver that the repository alone names, as we overrule it. */
const OVERRULED = "false"

export async function readSettings(cwd: string): Promise<Settings> {
  const config = await listConfig(cwd, KEYS)
  const commands = new Map<string, string>()
  for (const { key, value } of config) {
    const name = /^merge\.(.*)\.driver$/s.exec(key)?.[1]
    if (name !== undefined) commands.set(Buffer.from(name, "latin1").toString("utf8"), value)
  }
  const drivers = [...commands.keys()].filter((name) => commands.get(name) !== OVERRULED)
  return { committer: committerOf(config), drivers }
}
