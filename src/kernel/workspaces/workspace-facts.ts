/** The facts of a task's workspace, from its record. */
import { assert } from "../../base/assert.ts"
import type { Oid } from "../../base/ids.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import type { TaskWorktree, WorkspaceFacts } from "./environment.ts"
import type { PortBlock } from "./rules/ports.ts"
import { databaseSlug } from "./slug.ts"

/** A disposable worktree, and its commit of the target. */
export type WorktreePlace = { readonly worktree: string; readonly base: Oid }

export type FactsBeside = {
  readonly home: string
  readonly job: number
  /** By name of the repository. */
  readonly ports: ReadonlyMap<string, PortBlock>
  /** Set if it is not the task's own worktree, which must exist otherwise. */
  readonly place?: WorktreePlace | undefined
}

export function workspaceFacts(
  task: Task,
  repo: TaskRepo,
  { home, job, ports, place }: FactsBeside,
): WorkspaceFacts {
  const { target, path, branch } = repo
  const { worktree, base } = place ?? { worktree: folderOf(task, repo), base: repo.base }
  assert(worktree && base, "a workspace that was set up is on record")
  const { id, title, workItem } = task
  return {
    task: id,
    title,
    job,
    worktree,
    branch: branch ?? "",
    target,
    base,
    workItem,
    repo: path,
    // The gate's own databases are not the agent's, and are removed earlier.
    slug: databaseSlug({ home, task: id, title, repo: place ? `${repo.name} gate` : repo.name }),
    ports: ports.get(repo.name),
    strategy: task.strategy ?? "git_worktree",
    isReview: task.reviewOf !== null,
    worktrees: task.repos.flatMap((one) => {
      const at = one.name === repo.name ? worktree : folderOf(task, one)
      return listWorktree({ ...one, worktree: at }, ports.get(one.name))
    }),
  }
}

/** Empty if it is not set up yet, or gone. */
function listWorktree(
  { name, worktree, branch, target }: TaskRepo,
  ports: PortBlock | undefined,
): TaskWorktree[] {
  return worktree === null ? [] : [{ name, worktree, branch: branch ?? "", target, ports }]
}

/** @returns null if it is not set up yet, or gone. */
export function folderOf({ strategy }: Pick<Task, "strategy">, repo: TaskRepo): string | null {
  return strategy === "static" ? repo.path : repo.worktree
}
