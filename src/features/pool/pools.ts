/** Knows which pools of worktrees are configured, and when to fill them. */
import { existsSync, realpathSync } from "node:fs"
import { AppError } from "../../base/errors.ts"
import type { AgentConfig, RepoConfig } from "../../config/config.ts"
import type { Home } from "../../kernel/home.ts"
import { commandEnvironment } from "../../kernel/process/environment.ts"
import type { ProcessOwner } from "../../kernel/process/owner.ts"
import { type BoundedRun, runBounded } from "../../kernel/process/run.ts"
import type { Db } from "../../kernel/store/open.ts"
import { onCommit } from "../../kernel/store/sql.ts"
import { findTarget, type TaskTarget } from "../../kernel/tasks/actions/target.ts"
import { findSetUpCost } from "../../kernel/workspaces/rows/set-up-costs.ts"
import { setUpIfChanged } from "../../kernel/workspaces/setup/set-up.ts"
import { worktreesFolder } from "../../kernel/workspaces/worktrees-folder.ts"
import type { PoolPlace, PoolWorktree } from "./pool.ts"
import { worktreesAhead } from "./rules.ts"

/** Maximum delay before we notice a target that others moved, or a change in coppice.yml. */
const POLL_MS = 30_000
/** After this event targets have moved. */
const PUBLISHED = "landing.published"

/** Calls `tend` at start, after each landing, and at intervals. */
export function keepPools(db: Db, tend: () => void): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => void) | undefined
  return {
    start: () => {
      timer = setInterval(tend, POLL_MS)
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

/** The pools of all agents in all repositories; agents that share a folder share a pool. */
export async function listPoolPlaces({
  home,
  config,
  db,
  world,
}: Pick<Home, "home" | "config" | "db" | "world">): Promise<readonly PoolPlace[]> {
  const { agents, repos } = config()
  const places = new Map<string, PoolPlace>()
  for (const repo of repos) {
    const cost = findSetUpCost(db, repo.name)
    const aheadOf = ({ workspace: { pool, strategy } }: AgentConfig) =>
      strategy === "static" ? 0 : worktreesAhead(pool, cost, world.nowMs())
    const pooled = agents.filter((agent) => aheadOf(agent) > 0)
    const target =
      pooled.length > 0 ? await findTarget(home, repo).catch(undefinedIfGone) : undefined
    if (!target) continue
    for (const agent of pooled) {
      const ahead = aheadOf(agent)
      const place = { ...placeOf(agent, repo, target), ahead }
      const key = `${place.repo}\0${place.folder}`
      const other = places.get(key)
      places.set(key, other ? merged(other, place) : place)
    }
  }
  return [...places.values()]
}

/** Set-up waits for the task if it does for either agent. */
function merged(one: PoolPlace, other: PoolPlace): PoolPlace {
  const setup = other.setup === false ? false : one.setup
  return { ...one, setup, ahead: Math.max(one.ahead, other.ahead) }
}

function placeOf(
  { workspace: { worktreeDir }, env, containment }: AgentConfig,
  repo: RepoConfig,
  target: TaskTarget,
): Omit<PoolPlace, "ahead"> {
  const { path, name } = target
  const folder = worktreesFolder({ repo: path, repoName: name, worktreeDir })
  const real = existsSync(folder) ? realpathSync(folder) : folder
  const variables = commandEnvironment(process.env, env)
  // A teardown returns resources that belong to one task, and a fence is a task's too.
  const isForTask = repo.teardown !== undefined || containment.by !== "none"
  const setup = isForTask ? false : repo.setup
  return { repo: path, folder: real, target: target.target, setup, env: variables }
}

/** An unusable repository has no pool; a task there fails with the reason. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof AppError) || error.blame === "bug") throw error
}

/**
 * Runs a repository's set-up in a worktree of the pool. A command that reads the variables of its
 * task must wait for a task; one that fails runs again for the task.
 */
export async function setUpAhead(
  { owner, home }: { readonly owner: ProcessOwner; readonly home: string },
  { place, worktree, base, signal }: PoolWorktree,
): Promise<void> {
  const env = {
    ...place.env,
    COPPICE_WORKTREE_PATH: worktree,
    COPPICE_WORKTREE_BASE_BRANCH: place.target ?? "",
    COPPICE_BASE_SHA: base,
    COPPICE_REPO_ROOT: place.repo,
  }
  const leaving = { worktree, owner: { home, task: "pool" }, placed: [] } as const
  const { setup } = place
  const run = (request: BoundedRun) => runBounded(owner, request)
  await setUpIfChanged(run, { ...leaving, setup, task: null, env, signal })
}
