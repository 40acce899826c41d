/** The facts about a task's workspace as environment variables. Pure. */

import type { Oid } from "../../base/ids.ts"
import type { StrategyName } from "../tasks/rules/strategies.ts"
import type { PortBlock } from "./rules/ports.ts"

export type WorkspaceFacts = {
  readonly task: number
  readonly title: string
  readonly job: number
  readonly worktree: string
  readonly branch: string
  readonly target: string
  readonly base: Oid
  readonly workItem: string | null
  /** Main worktree of the repository, or its bare directory. */
  readonly repo: string
  /** Usable as a database name; unique to this task in this repository. */
  readonly slug: string
  /** Undefined if it has none. */
  readonly ports: PortBlock | undefined
  readonly strategy: StrategyName
  /** The work is another task's, and is only read. */
  readonly isReview: boolean
  /** The task's worktrees in all of its repositories, in order, including this one. */
  readonly worktrees: readonly TaskWorktree[]
}

export type TaskWorktree = {
  readonly name: string
  readonly worktree: string
  readonly branch: string
  readonly target: string
  readonly ports: PortBlock | undefined
}

/**
 * The same variables for agent, `setup`, `check`, gate and hooks.
 *
 * `COPPICE_TURN` differs from turn to turn, so it is added when a turn starts.
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
    COPPICE_WORKSPACE_STRATEGY: facts.strategy,
    COPPICE_PORT: facts.ports ? String(facts.ports.first) : "",
    COPPICE_PORTS: String(facts.ports?.count ?? 0),
    COPPICE_SLUG: facts.slug,
    ...(facts.isReview && UNFORGED),
    ...Object.fromEntries(facts.worktrees.flatMap(worktreeVariables)),
  }
}

/** A reviewer's git shows the objects themselves, whatever the author put in their place. */
const UNFORGED = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" }

/**
 * The variable with the task's worktree in the repository of this name:
 * `COPPICE_WORKTREE_PATH_WEB`.
 */
export function worktreeVariable(repo: string): string {
  return `COPPICE_WORKTREE_PATH_${suffix(repo)}`
}

/** Also `COPPICE_PORT_WEB`, if the task has ports there. */
function worktreeVariables({ name, worktree, ports }: TaskWorktree): [string, string][] {
  const path: [string, string] = [worktreeVariable(name), worktree]
  return ports ? [path, [`COPPICE_PORT_${suffix(name)}`, String(ports.first)]] : [path]
}

const suffix = (repo: string) => repo.toUpperCase().replace(/[^A-Z0-9]+/g, "_")
