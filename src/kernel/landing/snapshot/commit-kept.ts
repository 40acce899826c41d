/**
 * Commits an agent's leftovers to its branch, where the work does not land by itself.
 *
 * The branch is what a person then looks at, lands or merges. The agent has ended its turn. Leftovers
 * that no commit can hold stay in the worktree, and a sentence says why.
 */
import { existsSync } from "node:fs"
import { AppError } from "../../../base/errors.ts"
import { readHead } from "../../git/ask/head.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { Task, TaskRepo } from "../../tasks/rows/row.ts"
import { followBranch } from "../../workspaces/follow-branch.ts"
import { followWorktree } from "../../workspaces/follow-worktree.ts"
import type { Configured, Rows } from "../action.ts"
import { commitLeftovers, type Leftovers } from "./leftovers.ts"
import { leftoversMessage } from "./leftovers-message.ts"

/** @returns one sentence for each repository whose leftovers stay uncommitted. */
export async function commitKept(context: Rows & Configured, task: Task): Promise<string[]> {
  const sentences: string[] = []
  for (const recorded of task.repos) {
    const why = await commitIn(context, task, recorded).catch(messageOf)
    if (why !== undefined)
      sentences.push(`Uncommitted changes stay in ${recorded.worktree}: ${why}`)
  }
  return sentences
}

function messageOf(error: unknown): string {
  if (!(error instanceof AppError) || error.blame === "bug") throw error
  return error.message
}

async function commitIn(
  { db, agentConfig }: Rows & Configured,
  task: Task,
  recorded: TaskRepo,
): Promise<string | undefined> {
  const repo = followWorktree(db, task, recorded)
  const { worktree } = repo
  if (!worktree || !existsSync(worktree)) return undefined // the branch alone is the work
  if (!(await isWorktreeOf(worktree, repo.path))) return `it is no worktree of ${repo.path}.`
  if (await findOperation(worktree)) return "an operation of git is in progress there."
  const head = await readHead(worktree)
  if (head.kind !== "branch" || !head.commit) return "HEAD is on no branch."
  const { ref, commit } = head
  const other = await followBranch(db, task, repo, { worktree, ref, commit })
  if (other !== undefined) return `${other}.`
  const message = leftoversMessage(agentConfig(task), task)
  return whyNot(await commitLeftovers(worktree, { commit, ref, message, repo }))
}

function whyNot(left: Leftovers): string | undefined {
  if (left.kind === "committed") return undefined
  if (left.kind === "locked") return "another process is at work there."
  if (left.kind === "tooMuch")
    return `${left.amount} are more than is committed unseen (${left.named}).`
  return `no commit can hold ${left.unresolved.map(({ path }) => displayPath(path)).join(", ")}.`
}
