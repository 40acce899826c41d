/** Which pools of worktrees are configured, and when they are looked at. */
import { existsSync, realpathSync } from "node:fs"
import type { AgentConfig, RepoConfig } from "../core/config.ts"
import { AppError } from "../core/errors.ts"
import type { Db } from "../store/open.ts"
import { onCommit } from "../store/sql.ts"
import type { PoolPlace } from "../workspaces/pool/pool.ts"
import { worktreesFolder } from "../workspaces/worktrees-folder.ts"
import type { Fleet } from "./fleet.ts"
import { findTarget, type TaskTarget } from "./target.ts"

/** A target that others have moved, or coppice.yml, is noticed within this time. */
const LOOK_MS = 30_000
/** After this event targets stand elsewhere. */
const PUBLISHED = "landing.published"

/** Has `tend` called at the start, after each landing, and every now and then. */
export function keepPools(db: Db, tend: () => void): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => void) | undefined
  return {
    start: () => {
      timer = setInterval(tend, LOOK_MS)
      timer.unref()
      unsubscribe = onCommit(db, (events) => {
        if (events.some(({ type }) => type === PUBLISHED)) tend()
      })
      tend()
    },
    stop: () => {
      clearInterval(timer)
      unsubscribe?.()
    },
  }
}

/** Those of all agents in all repositories; agents that share a folder share a pool. */
export async function listPoolPlaces({
  home,
  config,
}: Pick<Fleet, "home" | "config">): Promise<readonly PoolPlace[]> {
  const { agents, repos } = config()
  const pooling = agents.filter(({ workspace }) => workspace.pool.size > 0)
  if (pooling.length === 0) return []
  const places = new Map<string, PoolPlace>()
  for (const repo of repos) {
    const target = await findTarget(home, repo).catch(undefinedIfGone)
    for (const agent of target ? pooling : []) {
      const place = placeOf(agent, repo, target!)
      const key = `${place.repo}\0${place.folder}`
      const other = places.get(key)
      places.set(key, other ? joined(other, place) : place)
    }
  }
  return [...places.values()]
}

function placeOf({ workspace }: AgentConfig, repo: RepoConfig, target: TaskTarget): PoolPlace {
  const { worktreeDir, pool } = workspace
  const { path, name } = target
  const folder = worktreesFolder({ repo: path, repoName: name, worktreeDir })
  const real = existsSync(folder) ? realpathSync(folder) : folder
  return { repo: path, folder: real, target: target.target, setup: repo.setup, ...pool }
}

/** What either of them asks for. */
function joined(one: PoolPlace, other: PoolPlace): PoolPlace {
  const keep = one.keep && other.keep && [...new Set([...one.keep, ...other.keep])]
  const size = Math.max(one.size, other.size)
  return { ...one, size, ahead: Math.max(one.ahead, other.ahead), keep }
}

/** A repository that cannot be worked in has no pool; whoever gives a task there is told why. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof AppError) || error.blame === "bug") throw error
}
