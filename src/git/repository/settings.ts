/** What is set in a repository that making a candidate depends on, in one question. */
import type { Setting } from "./config.ts"
import { committerOf, type Identity } from "./identity.ts"
import { listKnownConfig } from "./known-config.ts"

export type Settings = {
  readonly committer: Identity
  /** Names of the merge drivers that are configured. */
  readonly drivers: readonly string[]
  /** Git's files are written as by default: nothing is said of rights, syncing or compressing. */
  readonly isPlainStore: boolean
}

const IDENTITY = "(user|committer)\\.(name|email)"
const DRIVER = "merge\\..*\\.driver"
const STORE = "core\\.(sharedrepository|createobject|fsync.*|(loose)?compression)|extensions\\..*"
/** Of those, what says nothing of how loose objects are written. */
const PLAIN =
  /^extensions\.(objectformat|(relative)?worktree(s|config)|refstorage|preciousobjects|noop(-v1)?)$/

/** Matches the keys of all this. */
export const SETTINGS_KEYS = `${IDENTITY}|${DRIVER}|${STORE}`

const OF_STORE = new RegExp(`^(${STORE})$`)

/** As git has it now, or as it is remembered: see known-config.ts. @param cwd the root of a worktree. */
export async function readSettings(cwd: string): Promise<Settings> {
  return settingsOf(await listKnownConfig(cwd, `^(${SETTINGS_KEYS})$`))
}

/** @param config what {@link SETTINGS_KEYS} match, and perhaps more. */
export function settingsOf(config: readonly Setting[]): Settings {
  const ofStore = config.filter(({ key }) => OF_STORE.test(key))
  const drivers = config.flatMap(({ key }) => /^merge\.(.*)\.driver$/s.exec(key)?.[1] ?? [])
  return {
    committer: committerOf(config),
    drivers: [...new Set(drivers.map((name) => Buffer.from(name, "latin1").toString("utf8")))],
    isPlainStore: ofStore.every(({ key }) => PLAIN.test(key)),
  }
}
