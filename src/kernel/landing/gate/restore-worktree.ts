/** Puts an agent's worktree back to its commit after a gate. */
import { rm } from "node:fs/promises"
import type { GitPath } from "../../../base/ids.ts"
import { listMade } from "../../git/ask/made-files.ts"
import type { TargetOf } from "../../git/ask/newest-tip.ts"
import { hasUnpushed } from "../../git/ask/rev-list.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { readStatus, type Status } from "../../git/ask/status.ts"
import { noteMade } from "../../git/change/note-made.ts"
import { resetTree } from "../../git/change/read-tree.ts"
import { revealAll, revealPresent } from "../../git/change/reveal-files.ts"
import { IndexLockedError } from "../../git/start/errors.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import { WorkspaceError } from "../../workspaces/errors.ts"
import { isPlaced } from "../../workspaces/placed-files.ts"
import { rescueWorktree } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { listLeftBehind } from "../../workspaces/submodules.ts"
import { ownerOf, type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import type { LandingRepo } from "../rows/row.ts"

/**
 * Whether the worktree holds anything uncommitted that neither `copy` and `link` put there nor git
 * left behind.
 *
 * @throws {IndexLockedError} if the index is locked and files are hidden.
 */
export async function isDirty(
  worktree: string,
  repo: TargetOf & Pick<TaskRepo, "placed">,
): Promise<boolean> {
  await revealPresent(worktree)
  const status = await readStatus(worktree)
  const left = residue(status, repo.placed)
  if (left.length === 0) return false
  const behind = new Set(await listLeftBehind(worktree, repo, status))
  return left.some((path) => !behind.has(path))
}

type Restore = {
  readonly worktree: string
  /** The index is at another commit than HEAD on purpose, so staged changes are not leftovers. */
  readonly indexIsElsewhere?: boolean
}

/**
 * Resets index and files to HEAD after a gate, and rescues the gate's leftovers first. Files from
 * set-up stay for the next gate, as this one left them.
 *
 * Runs only while the task is merging, so none of it is an agent's or a person's unfinished work.
 *
 * @throws {IndexLockedError} @throws {NoWorktreeError}
 * @throws {WorkspaceError} `workspace.holds_repositories` (world); nothing was changed then.
 */
export async function restoreTree(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  { worktree, indexIsElsewhere = false }: Restore,
): Promise<void> {
  const { placed } = taskRepo(step, repo)
  const isLeft = (path: GitPath) => !isPlaced(path, placed)
  const leftOut = new Set(await revealAll(worktree)) // by a sparse checkout; a gate tests all of it
  const to = await readCommit(worktree, "HEAD")
  const status = await readStatus(worktree)
  await assertReplaceable(worktree, status.untracked.filter(isLeft))
  const all = residue(indexIsElsewhere ? { ...status, staged: [] } : status, placed)
  const left = all.filter((path) => !leftOut.has(path))
  if (!to || (all.length === 0 && !indexIsElsewhere)) return
  if (left.length > 0) {
    const reason = "the gate's leftovers were removed"
    const request = { owner: ownerOf(step), safeCommits: [to], placed, reason }
    recordRescued(step.context, step.task.id, [await rescueWorktree(worktree, request)])
  }
  const { kind } = await resetTree(worktree, to)
  if (kind === "locked") throw new IndexLockedError(`${worktree}'s index.lock`)
  const untracked = (await readStatus(worktree)).untracked.filter(isLeft)
  await assertReplaceable(worktree, untracked)
  const made = await listMade(worktree)
  for (const path of untracked)
    if (!made.has(path)) await rm(joinBytes(worktree, path), { recursive: true, force: true })
  await noteMade(
    worktree,
    untracked.filter((path) => made.has(path)),
  )
}

/**
 * A rescue saves a nested repository's files, but not its history. One with its own commits must
 * stay.
 */
async function assertReplaceable(worktree: string, untracked: readonly GitPath[]): Promise<void> {
  const nested: string[] = []
  for (const path of untracked.filter((path) => path.endsWith("/")))
    if (await hasUnpushed(joinBytes(worktree, path).toString("utf8")))
      nested.push(displayPath(path))
  if (nested.length === 0) return
  throw new WorkspaceError(
    "workspace.holds_repositories",
    `${worktree} holds repositories with commits that no remote has: ${nested.join(", ")}.`,
    ["Push their commits, move them elsewhere, or list them in .gitignore."],
  )
}

function residue(status: Status, placed: readonly string[]): readonly GitPath[] {
  const all = [...status.staged, ...status.unstaged, ...status.untracked, ...status.unmerged]
  return all.filter((path) => !isPlaced(path, placed))
}
