/**
 * Reads what a worktree holds and whether something uses it. Changes nothing, not even the index:
 * edits hidden by index flags are found with a copy of it.
 */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { branchRef, type Oid } from "../../base/ids.ts"
import { isIndexChanged } from "../../kernel/git/ask/differing-files.ts"
import { listOwnCommits } from "../../kernel/git/ask/list-refs.ts"
import { readOperation } from "../../kernel/git/ask/operation-in-progress.ts"
import { areAllKept } from "../../kernel/git/ask/rev-list.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { readStatus } from "../../kernel/git/ask/status.ts"
import { hasChangeOf } from "../../kernel/git/change/has-change.ts"
import { onIndexCopy } from "../../kernel/git/change/index-copy.ts"
import { revealPresent } from "../../kernel/git/change/reveal-files.ts"
import type { WorkingFolder } from "../../kernel/process/working-folders.ts"
import type { Db } from "../../kernel/store/open.ts"
import { isUnfilled } from "../../kernel/workspaces/git-worktree/fill-worktree.ts"
import { findRemovalBlocker } from "../../kernel/workspaces/git-worktree/removal-blocker.ts"
import { readRepository } from "../../kernel/workspaces/git-worktree/worktree-context.ts"
import { isPlaced } from "../../kernel/workspaces/placed-files.ts"
import type { SurveyedWorktree } from "./survey-worktrees.ts"

export type Inspection = {
  readonly blocker: string | undefined
  readonly uncommitted: number
  /** A target or a rescue contains every commit of it, or its change. */
  readonly isContained: boolean
  /** When it was last worked in, as far as its files show; ms since the epoch. */
  readonly usedAtMs: number
}

export type InspectionRequest = {
  /** Commits of the targets. */
  readonly targets: readonly Oid[]
  readonly placed: readonly string[]
  /** The working folders of processes. */
  readonly running: readonly WorkingFolder[]
}

type Known = SurveyedWorktree & { readonly gitDir: string }

export async function inspectWorktree(
  db: Db,
  worktree: SurveyedWorktree,
  request: InspectionRequest,
): Promise<Inspection> {
  const usedAtMs = readUsedAtMs(worktree)
  const nothing = { uncommitted: 0, isContained: false, usedAtMs }
  const blocker = await findReason(db, worktree, request)
  if (blocker !== undefined) return { ...nothing, blocker }
  const { gitDir } = worktree
  if (gitDir === undefined) return { ...nothing, blocker: undefined, isContained: true }
  const known = { ...worktree, gitDir }
  const uncommitted = await countUncommitted(known, request.placed)
  const isContained = await areContained(known, request.targets)
  return { blocker: undefined, uncommitted, isContained, usedAtMs }
}

async function findReason(
  db: Db,
  { repo, path, gitDir, folder }: SurveyedWorktree,
  { placed, running }: InspectionRequest,
): Promise<string | undefined> {
  if (folder === "unmounted") return "its parent folder is missing: perhaps not mounted"
  const operation = gitDir === undefined ? undefined : readOperation(gitDir)
  if (operation) return `a ${operation.kind} is under way there`
  const user = running.find(({ cwd }) => cwd === path || cwd.startsWith(`${path}/`))
  if (user) return `process ${user.pid} runs there`
  if (gitDir !== undefined && existsSync(join(gitDir, "index.lock")))
    return "git holds the lock of its index"
  const blocker = await findRemovalBlocker(db, await readRepository(repo), path, placed)
  return blocker === "absent" ? undefined : blocker?.replace(/\.$/, "")
}

async function countUncommitted(
  { repo, path, gitDir, folder }: Known,
  placed: readonly string[],
): Promise<number> {
  // A folder that is gone can only have left staged work.
  if (folder === "gone") {
    const isStaged = existsSync(join(gitDir, "index")) && (await isIndexChanged(repo, gitDir))
    return isStaged ? 1 : 0
  }
  if (isUnfilled(gitDir)) return 0 // a checkout that was cut short holds no work
  const status = await onIndexCopy(path, async (indexFile) => {
    await revealPresent(path, { indexFile })
    return await readStatus(path, { indexFile })
  })
  const { staged, unstaged, unmerged, untracked } = status
  const others = untracked.filter((file) => !isPlaced(file, placed))
  return new Set([...staged, ...unstaged, ...unmerged, ...others]).size
}

/**
 * Whether everything that goes with the worktree stays elsewhere: HEAD, its branch, its own refs. A
 * commit whose change the target has under another id is rescued all the same.
 */
async function areContained(
  { repo, gitDir, ownBranch }: Known,
  targets: readonly Oid[],
): Promise<boolean> {
  const tip = ownBranch === undefined ? undefined : await readCommit(repo, branchRef(ownBranch))
  const own = await listOwnCommits(repo, gitDir)
  const tips = tip ? [tip, ...own] : own
  if (await areAllKept(repo, tips, targets)) return true
  for (const commit of new Set(tips)) if (!(await isElsewhere(repo, commit, targets))) return false
  return true
}

/** A person or a forge may have squashed it or picked it, commit by commit. */
async function isElsewhere(repo: string, commit: Oid, targets: readonly Oid[]): Promise<boolean> {
  if (await areAllKept(repo, [commit], targets)) return true
  for (const target of targets) if (await hasChangeOf(repo, { target, commit })) return true
  return false
}

const CHANGED_BY_GIT = ["HEAD", "index", "logs/HEAD", "ORIG_HEAD"]

function readUsedAtMs({ path, gitDir }: SurveyedWorktree): number {
  const files = gitDir === undefined ? [] : CHANGED_BY_GIT.map((name) => join(gitDir, name))
  const times = [path, ...files].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return Math.max(...times)
}
