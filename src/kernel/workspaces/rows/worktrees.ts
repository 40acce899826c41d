/** The worktrees that are ours: only these are ever removed. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** A worktree that this home has made, or is about to make. */
export type OwnWorktree = {
  readonly path: string
  /** The repository's main worktree, or bare directory. */
  readonly repo: string
  /** `gate`: a landing's, which never holds work. */
  readonly purpose: "task" | "gate"
  /** The task that it was made for; null for a pool. The task may be deleted by now. */
  readonly task: TaskId | null
  readonly branch: string | null
}

const RECORD = `
  insert into worktrees (path, repo, purpose, task, branch)
  values (:path, :repo, :purpose, :task, :branch)
  on conflict (path) do update set repo = :repo, purpose = :purpose, task = :task, branch = :branch`

/**
 * Records that a worktree is this home's, before it is made.
 *
 * Replaces an earlier record of the path.
 */
export function recordWorktree(db: Db, worktree: OwnWorktree): void {
  const { path, repo, purpose, task, branch } = worktree
  sql(db, RECORD).run({ path, repo, purpose, task, branch })
}

const FIND = "select path, repo, purpose, task, branch from worktrees where path = :path"

/** Finds the record of the worktree at a path; there is one only if this home made it. */
export function findOwnWorktree(db: Db, path: string): OwnWorktree | undefined {
  return sql(db, FIND).find({ path }) as OwnWorktree | undefined
}

const LIST =
  "select path, repo, purpose, task, branch from worktrees where repo = :repo order by path"

/** @param repo main worktree, or bare directory. */
export function listOwnWorktrees(db: Db, repo: string): OwnWorktree[] {
  return sql(db, LIST).list({ repo }) as OwnWorktree[]
}

const FORGET = "delete from worktrees where path = :path"

/** Deletes the record of a worktree that is gone, or that a person keeps. Coppice never removes it then. */
export function forgetWorktree(db: Db, path: string): void {
  sql(db, FORGET).run({ path })
}
