/** `peers`: lists other tasks that change the same paths now. */

import type { Verb } from "../../api/verb.ts"
import type { PeersDocument } from "../../api/wire/agent.ts"
import { listChanges } from "../../kernel/git/ask/diff-tree.ts"
import { displayPath } from "../../kernel/git/start/git-path.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { diffWork } from "../../kernel/landing/snapshot/work-diff.ts"
import { listTasks } from "../../kernel/tasks/rows/find.ts"
import type { Task, TaskRepo } from "../../kernel/tasks/rows/row.ts"
import { mayStillLand } from "../../kernel/tasks/rules/may-still-land.ts"

/** Inspecting each takes a few git commands; few fleets have more tasks at work. */
const PEERS_MAX = 50
const PATHS_SHOWN_MAX = 50

export const peers: Verb<"peers"> = async ({ fleet, readTask, input }) => {
  const task = readTask()
  const others = listTasks(fleet.db)
    .filter((other) => other.id !== task.id && mayStillLand(other))
    .slice(0, PEERS_MAX)
  const found: PeersDocument["peers"] = []
  for (const repo of task.repos) {
    const asked = input.paths.length > 0 ? input.paths : await changedPaths(fleet, task, repo)
    const meets = meeting(asked, repo)
    for (const other of others) {
      const shared = other.repos.find(({ path }) => path === repo.path)
      if (!shared) continue
      const paths = (await changedPaths(fleet, other, shared)).filter(meets)
      if (paths.length > 0) found.push(peer(other, shared, paths))
    }
  }
  return { peers: found }
}

function peer(
  task: Task,
  repo: TaskRepo,
  paths: readonly string[],
): PeersDocument["peers"][number] {
  const { id, title, agent, state } = task
  const shown = paths.slice(0, PATHS_SHOWN_MAX)
  return {
    task: String(id),
    title,
    agent,
    state,
    repo: repo.name,
    branch: repo.branch,
    paths: shown,
    more: paths.length - shown.length,
  }
}

async function changedPaths({ db }: FleetRows, task: Task, repo: TaskRepo): Promise<string[]> {
  const landing = findLandingOfTask(db, task.id)
  const work = await diffWork(repo, { task, landing, against: "base" })
  if (typeof work === "string") return []
  const changes = await listChanges(repo.path, work.from, work.to)
  return changes.map(({ path }) => displayPath(path))
}

/** Whether a path equals one of those asked about, or one contains the other. */
function meeting(asked: readonly string[], { worktree }: TaskRepo): (path: string) => boolean {
  const own = asked.map((path) => namesIn(path, worktree))
  if (own.some((names) => names.length === 0)) return () => true // all of the repository
  const exact = new Set(own.map((names) => names.join("/")))
  const above = new Set(own.flatMap(prefixesOf))
  return (path) => above.has(path) || prefixesOf(path.split("/")).some((one) => exact.has(one))
}

/** Agents also give absolute paths. */
function namesIn(path: string, worktree: string | null): string[] {
  const isWhole = worktree !== null && `${path}/`.startsWith(`${worktree}/`)
  const inside = isWhole ? path.slice(worktree.length) : path
  return inside.split("/").filter((name) => name !== "" && name !== ".")
}

const prefixesOf = (names: readonly string[]): string[] =>
  names.map((_, n) => names.slice(0, n + 1).join("/"))
