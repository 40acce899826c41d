/** `peers`: tells an agent who else works on the same paths now. */
import { type PeersDocument, ToFindPeers } from "../../core/agent-wire.ts"
import { isSettled } from "../../core/task.ts"
import { listChanges } from "../../git/diff-tree.ts"
import { displayPath } from "../../git/path.ts"
import { diffWork } from "../../landing/snapshot/work-diff.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { listTasks } from "../../store/tasks/list.ts"
import type { Task, TaskRepo } from "../../store/tasks/row.ts"
import type { Fleet } from "../fleet.ts"
import { verb } from "./verb.ts"

/** Looking at each costs a few gits; a fleet has fewer at work. */
const PEERS_MAX = 50
const PATHS_SHOWN_MAX = 50

export const peers = verb({
  name: "peers",
  about:
    "Who else changes these paths now (default: those that you changed), so that you can keep out " +
    "of each other's way.",
  input: ToFindPeers,
  run: async ({ fleet, task, input }): Promise<PeersDocument> => {
    const others = listTasks(fleet.db)
      .filter((other) => other.id !== task.id && isAtWork(other))
      .slice(0, PEERS_MAX)
    const found: PeersDocument["peers"] = []
    for (const repo of task.repos) {
      const own = input.paths.length > 0 ? input.paths : await changedPaths(fleet, task, repo)
      for (const other of others) {
        const shared = other.repos.find(({ path }) => path === repo.path)
        if (!shared) continue
        const paths = (await changedPaths(fleet, other, shared)).filter((path) => meets(path, own))
        if (paths.length > 0) found.push(peer(other, shared, paths))
      }
    }
    return { peers: found }
  },
})

/** Its work may still come to the target. */
const isAtWork = ({ state }: Task): boolean =>
  !isSettled(state) || ["in_approval", "stuck", "paused", "merge_failed"].includes(state)

function peer(
  task: Task,
  repo: TaskRepo,
  paths: readonly string[],
): PeersDocument["peers"][number] {
  const { id, title, agent, state } = task
  const shown = paths.slice(0, PATHS_SHOWN_MAX)
  return {
    ...{ task: String(id), title, agent, state, repo: repo.name, branch: repo.branch },
    paths: shown,
    more: paths.length - shown.length,
  }
}

async function changedPaths({ db }: Fleet, task: Task, repo: TaskRepo): Promise<string[]> {
  const landing = findLandingOfTask(db, task.id)
  const work = await diffWork(repo, { task, landing, against: "base" })
  if (typeof work === "string") return []
  const changes = await listChanges(repo.path, work.from, work.to)
  return changes.map(({ path }) => displayPath(path))
}

/** The same file, or one in the other, which is a folder. */
function meets(path: string, asked: readonly string[]): boolean {
  return asked.some((one) => {
    const other = one.replace(/\/+$/, "")
    return path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`)
  })
}
