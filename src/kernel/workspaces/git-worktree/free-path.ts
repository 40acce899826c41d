/**
 * Makes sure that a task's path is free.
 *
 * Only leftovers of a cut-short set-up of the same task are cleared; anything else belongs to
 * others. Called under the repository's lock, so no live process is adding a worktree there.
 */
import { readdir } from "node:fs/promises"
import type { Oid, TaskId } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { type LinkedWorktree, listLinked } from "../../git/ask/linked-worktrees.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { WorkspaceError } from "../errors.ts"
import { isMadeHere } from "../made-here.ts"
import { removeOwnWorktree } from "../removal.ts"
import { rescueLeftBehind } from "../rescue/left-behind.ts"
import { rescueWorktree } from "../rescue/rescue.ts"
import { findOwnWorktree } from "../rows/worktrees.ts"
import { endFilling, isUnfilled } from "./fill-worktree.ts"
import { findRemovalBlocker } from "./removal-blocker.ts"
import type { WorktreeContext } from "./worktree-context.ts"

export type PathToFree = {
  readonly repository: Repository
  readonly path: string
  readonly task: TaskId
  /** The commit that work starts from: what it contains needs no rescue. */
  readonly base: Oid
}

/** @throws {WorkspaceError} `workspace.path_taken` (user) when it is not ours to clear. */
export async function freePath(context: WorktreeContext, wanted: PathToFree): Promise<void> {
  const { repository, path, task } = wanted
  const entry = listLinked(repository.commonDir).find((worktree) => worktree.path === path)
  const content = await readdir(path).catch(asContent)
  if (!entry && content.length === 0) return
  const own = findOwnWorktree(context.db, path)
  const isOurs = own?.repo === repository.root && own.task === task
  const isMade = entry && isOurs && (content.length === 0 || isMadeHere(entry.gitDir, own))
  const state = isMade ? await look(entry, content) : "somebody's"
  const isForged = isOurs && !entry && findGitDir(path) !== undefined
  if (state === "somebody's")
    throw taken(path, isForged ? repairHints(repository, path) : undefined)
  if (entry && state === "used") await saveUsed(context, wanted, entry)
  if ((await removeOwnWorktree(context, repository, path)) !== undefined) throw taken(path)
}

/** @throws {WorkspaceError} when it holds files that a rescue cannot save. */
async function saveUsed(
  { home, db }: WorktreeContext,
  { repository, path, task, base }: PathToFree,
  { gitDir }: LinkedWorktree,
): Promise<void> {
  const owner = { home, task }
  const request = { owner, safeCommits: [base], placed: [], reason: "its set-up was repeated" }
  const blocker = await findRemovalBlocker(db, repository, path)
  if (blocker !== undefined) throw taken(path)
  const rescue = await rescueWorktree(path, request)
  if (rescue && rescue.nested.length > 0) throw taken(path)
  const safeCommits = rescue ? [base, rescue.commit] : [base]
  await rescueLeftBehind(repository.root, { ...request, safeCommits, gitDir, branch: undefined })
}

type State =
  | "empty" // git was stopped before it held anything
  | "unfinished" // ours, with an incomplete checkout
  | "used" // ours and complete, but its set-up was never recorded
  | "somebody's"

async function look(entry: LinkedWorktree, content: readonly string[]): Promise<State> {
  const isLocked = entry.locked !== undefined && entry.locked !== "initializing"
  if (isLocked) return "somebody's"
  await endFilling(entry.gitDir)
  if (content.every((name) => name === ".git")) return "empty"
  return isUnfilled(entry.gitDir) ? "unfinished" : "used"
}

/** A folder's names; a file in place of a folder counts as content. */
function asContent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return []
  if (error.code === "ENOTDIR") return ["."]
  throw error
}

const HINTS = [
  "Move it away, or set `workspace.worktree_dir` in coppice.yml to another folder.",
  "`git worktree list` shows what it belongs to.",
]

export function taken(path: string, hints: readonly string[] = HINTS): WorkspaceError {
  const message = `${path} exists already, and does not belong to Coppice.`
  return new WorkspaceError("workspace.path_taken", message, hints)
}

/** An agent can write another path into git's record of its worktree. */
const repairHints = ({ root }: Repository, path: string): string[] => [
  "Git's record of this worktree names another folder.",
  `Run \`git -C ${shellWord(root)} worktree repair ${shellWord(path)}\`, then \`coppice restart\` the task.`,
]
