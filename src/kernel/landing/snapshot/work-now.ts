/**
 * Reads a task's present work in a repository, as a snapshot would take it. Changes nothing.
 *
 * Gathers leftovers in a copy of the index, so that the worktree, its index and its refs stay
 * unchanged while the agent works. Writes only unreferenced objects.
 */
import { existsSync } from "node:fs"
import { AppError } from "../../../base/errors.ts"
import { branchRef, type GitPath, type Oid } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { readStatus } from "../../git/ask/status.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { addAll } from "../../git/change/add.ts"
import { formatCommit, writeCommitObject } from "../../git/change/commit-objects.ts"
import { onIndexCopy } from "../../git/change/index-copy.ts"
import { revealPresent } from "../../git/change/reveal-files.ts"
import { unstage } from "../../git/change/update-index.ts"
import { writeTree } from "../../git/change/write-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { Task, TaskRepo } from "../../tasks/rows/row.ts"
import { isPlaced } from "../../workspaces/placed-files.ts"
import { refuseTooMuch } from "../../workspaces/rescue/rescue-bounds.ts"
import type { Landing } from "../rows/row.ts"
import { findUnresolved } from "./leftovers.ts"

export type WorkNow = {
  readonly head: Oid
  /** The same with uncommitted changes: then an unreferenced commit. */
  readonly whole: Oid
  readonly leftovers: readonly GitPath[]
  /** Sentences about changes that are missing from it. */
  readonly notices: readonly string[]
}

/** A fixed author and time, so that the same work is the same commit. */
const IDENT = "Coppice <coppice@localhost> 0 +0000"

/** @returns undefined without a worktree, branch or commit. */
export async function readWorkNow(
  task: Pick<Task, "strategy" | "agent">,
  repo: TaskRepo,
  landing: Landing | undefined,
): Promise<WorkNow | undefined> {
  const { path, branch, worktree } = repo
  const isBranch = task.strategy === null && branch !== null // a person may be elsewhere by now
  if (isBranch || worktree === null || !(await isThere(worktree, path)))
    return await readCommitted(repo, landing)
  try {
    return await readWorktree(worktree, task, repo)
  } catch (error) {
    // A landing or a clean-up removes it, and git then lacks its folder, index or link.
    if (await isThere(worktree, path)) throw error
    return await readCommitted(repo, landing)
  }
}

async function readWorktree(
  worktree: string,
  { strategy, agent }: Pick<Task, "strategy" | "agent">,
  repo: TaskRepo,
): Promise<WorkNow | undefined> {
  const { commit } = await readHead(worktree)
  if (!commit) return undefined
  return strategy === null
    ? committed(commit)
    : await withLeftovers(worktree, { repo, head: commit, isAgents: agent !== null })
}

async function readCommitted(
  { path, branch, name }: TaskRepo,
  landing: Landing | undefined,
): Promise<WorkNow | undefined> {
  const tip = branch === null ? undefined : await readCommit(path, branchRef(branch))
  const head = tip ?? landing?.repos.find((one) => one.name === name)?.head
  return head && (await readCommit(path, head)) ? committed(head) : undefined
}

const isThere = async (worktree: string, repo: string): Promise<boolean> =>
  existsSync(worktree) && (await isWorktreeOf(worktree, repo))

const committed = (head: Oid): WorkNow => ({ head, whole: head, leftovers: [], notices: [] })

type Worked = { readonly repo: TaskRepo; readonly head: Oid; readonly isAgents: boolean }

async function withLeftovers(worktree: string, worked: Worked): Promise<WorkNow> {
  const { repo, head, isAgents } = worked
  const { placed } = repo
  const operation = await findOperation(worktree)
  const notices = operation ? [`A ${operation} is in progress in ${worktree}.`] : []
  return await onIndexCopy(worktree, async (indexFile) => {
    if (isAgents) await revealPresent(worktree, { indexFile }) // else see hidden-edits.ts
    const status = await readStatus(worktree, { indexFile })
    const unresolved = findUnresolved(status).filter(({ path }) => !isPlaced(path, placed))
    if (unresolved.length > 0)
      notices.push(
        `Cannot be committed as it is: ${unresolved.map(({ path }) => displayPath(path)).join(", ")}.`,
      )
    try {
      await refuseTooMuch(worktree, [...status.unstaged, ...status.untracked], "a view of its work")
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { head, whole: head, leftovers: [], notices: [...notices, error.message] }
    }
    const staged = status.staged.filter((path) => isPlaced(path, placed))
    await unstage(worktree, head, [...staged, ...status.stagedMade], { indexFile })
    const added = await addAll(worktree, { except: placed, indexFile, status })
    const tree = await writeTree(worktree, { indexFile })
    if ((await readTrees(worktree, [head]))[0] === tree) return { ...committed(head), notices }
    const parts = { tree, parents: [head], author: IDENT, committer: IDENT, message: "" }
    const whole = await writeCommitObject(worktree, formatCommit(parts))
    const kept = status.staged.filter((path) => !isPlaced(path, placed))
    return { head, whole, leftovers: [...new Set([...kept, ...added])], notices }
  })
}
