/** The facts about a task's workspace as environment variables. Pure. */
import type { Oid } from "../core/ids.ts"
import { databaseSlug } from "./slug.ts"

export type WorkspaceFacts = {
  readonly task: number
  readonly title: string
  readonly job: number
  readonly worktree: string
  readonly branch: string
  /** Branch name of the target. */
  readonly target: string
  readonly base: Oid
  readonly workItem: string | null
  /** Main worktree of the repository, or its bare directory. */
  readonly repo: string
  /** The task's worktrees in all of its repositories, in their order; this one is among them. */
  readonly worktrees: readonly TaskWorktree[]
}

export type TaskWorktree = {
  /** Of the repository. */
  readonly name: string
  readonly worktree: string
  readonly branch: string
  readonly target: string
}

/** Below the ports that systems hand out by themselves; each task has a block of its own. */
const PORT_FIRST = 20_000
const PORTS_PER_TASK = 20
const PORT_BLOCKS = 600

/**
 * The variables that the agent, `setup`, `check`, gate and hooks are given alike.
 *
 * `COPPICE_TURN` differs from turn to turn, and who starts a turn adds it.
 */
export function workspaceEnvironment(facts: WorkspaceFacts): Record<string, string> {
  return {
    COPPICE_TASK: String(facts.task),
    COPPICE_JOB: String(facts.job),
    COPPICE_WORKTREE_PATH: facts.worktree,
    COPPICE_WORKTREE_BRANCH: facts.branch,
    COPPICE_WORKTREE_BASE_BRANCH: facts.target,
    COPPICE_BASE_SHA: facts.base,
    COPPICE_WORK_ITEM_ID: facts.workItem ?? "",
    COPPICE_WORK_ITEM_TITLE: facts.workItem === null ? "" : facts.title,
    COPPICE_REPO_ROOT: facts.repo,
    COPPICE_WORKSPACE_STRATEGY: "git_worktree",
    COPPICE_PORT: String(portBlock(facts.task)),
    COPPICE_SLUG: databaseSlug(facts.task, facts.title),
    ...Object.fromEntries(
      facts.worktrees.map(({ name, worktree }) => [worktreeVariable(name), worktree]),
    ),
  }
}

/** Where the task's worktree in the repository of this name is: `COPPICE_WORKTREE_PATH_WEB`. */
export function worktreeVariable(repo: string): string {
  return `COPPICE_WORKTREE_PATH_${repo.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`
}

/** The first of the task's 20 ports: the same each time; free unless 600 tasks run at once. */
export function portBlock(task: number): number {
  return PORT_FIRST + (task % PORT_BLOCKS) * PORTS_PER_TASK
}
