/** What is set in a repository that making a candidate depends on, in one question. */
import { listConfig } from "./config.ts"
import { committerOf, type Identity } from "./identity.ts"

export type Settings = {
  readonly committer: Identity
  /** Names of the merge drivers that are configured. */
  readonly drivers: readonly string[]
}

const KEYS = "^((user|committer)\\.(name|email)|merge\\..*\\.driver)$"

export async function readSettings(cwd: string): Promise<Settings> {
  const config = await listConfig(cwd, KEYS)
  const names = config.flatMap(({ key }) => /^merge\.(.*)\.driver$/s.exec(key)?.[1] ?? [])
  const drivers = names.map((name) => Buffer.from(name, "latin1").toString("utf8"))
  return { committer: committerOf(config), drivers: [...new Set(drivers)] }
}
