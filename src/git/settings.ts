/** What is set in a repository that making a candidate depends on, in one question. */
import { listConfig } from "./config.ts"
import { committerOf, type Identity } from "./identity.ts"

export type Settings = {
  readonly committer: Identity
  /** Names of the merge drivers that are configured. */
  readonly drivers: readonly string[]
  /** Objects are written as git does by default: nothing is said of rights, syncing or compressing. */
  readonly isPlainStore: boolean
}

const IDENTITY = "(user|committer)\\.(name|email)"
const DRIVER = "merge\\..*\\.driver"
const STORE = "core\\.(sharedrepository|createobject|fsync.*|(loose)?compression)|extensions\\..*"
/** Of those, what says nothing of how loose objects are written. */
const PLAIN =
  /^extensions\.(objectformat|(relative)?worktree(s|config)|refstorage|preciousobjects|noop(-v1)?)$/

export async function readSettings(cwd: string): Promise<Settings> {
  const config = await listConfig(cwd, `^(${IDENTITY}|${DRIVER}|${STORE})$`)
  const isOfStore = new RegExp(`^(${STORE})$`)
  const ofStore = config.filter(({ key }) => isOfStore.test(key))
  const drivers = config.flatMap(({ key }) => /^merge\.(.*)\.driver$/s.exec(key)?.[1] ?? [])
  return {
    committer: committerOf(config),
    drivers: [...new Set(drivers.map((name) => Buffer.from(name, "latin1").toString("utf8")))],
    isPlainStore: ofStore.every(({ key }) => PLAIN.test(key)),
  }
}
