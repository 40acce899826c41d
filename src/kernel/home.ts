/** The home that a daemon serves: its database, its folders and its configuration. */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import type { World } from "../base/world.ts"
import type { Config, RepoConfig } from "../config/config.ts"
import type { Db } from "./store/open.ts"

/** The part of a home that an action needs if it only reads and writes rows. */
export type FleetRows = { readonly db: Db; readonly world: World }

/** A home and its configuration. */
export type Home = FleetRows & {
  /** Aborts when the daemon ends. */
  readonly ending: AbortSignal
  /** Real path of the home. */
  readonly home: string
  /** The home's state directory. */
  readonly stateDir: string
  /** Permanent: identifies the home's worktrees and refs. */
  readonly name: string
  /** The last valid coppice.yml. */
  config(): Config
  /** coppice.yml as it is now. @throws {ConfigError} (user) naming every mistake in it. */
  checkedConfig(): Config
}

/** The real path of a configured repository, or the configured path if it does not exist. */
export function pathOfRepo(home: string, repo: Pick<RepoConfig, "path">): string {
  const path = resolve(home, repo.path)
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
