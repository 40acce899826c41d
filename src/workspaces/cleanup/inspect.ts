/**
 * Looks at what a worktree holds and whether somebody is at it. Changes nothing, not even the index:
 * files that git was told to overlook are looked for by way of a copy.
 */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Containment } from "../../core/cleanup.ts"
import type { Oid } from "../../core/ids.ts"
import { isIndexChanged } from "../../git/index/diff-index.ts"
import { revealPresent } from "../../git/index/hidden.ts"
import { onIndexCopy } from "../../git/index/index-copy.ts"
import { readStatus } from "../../git/index/status.ts"
import { listRefs } from "../../git/refs/for-each-ref.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { readOperation } from "../../git/worktrees/operation.ts"
import type { WorkingFolder } from "../../process/working-folders.ts"
import { isUnfilled } from "../git-worktree/fill.ts"
import { findHindrance } from "../git-worktree/hindrance.ts"
import { isPlaced } from "../placed.ts"
import { readContainment } from "./containment.ts"
import type { SurveyedWorktree } from "./survey.ts"

export type Inspection = {
  readonly hindrance: string | undefined
  readonly uncommitted: number
  readonly containment: Containment
  /** When it was last worked in, as far as files tell; ms since the epoch. */
  readonly usedAtMs: number
}

type Inspected = Omit<SurveyedWorktree, "task" | "kind">

export type InspectionRequest = {
  /** Commits of the targets. */
  readonly targets: readonly Oid[]
  readonly placed: readonly string[]
  /** Where processes stand now. */
  readonly running: readonly WorkingFolder[]
}

export async function inspectWorktree(
  worktree: Inspected,
  request: InspectionRequest,
): Promise<Inspection> {
  const usedAtMs = readUsedAtMs(worktree)
  const hindrance = await findReason(worktree, request)
  if (hindrance !== undefined) return { hindrance, uncommitted: 0, containment: "none", usedAtMs }
  const uncommitted = await countUncommitted(worktree, request.placed)
  if (uncommitted > 0) return { hindrance: undefined, uncommitted, containment: "none", usedAtMs }
  const commits = await listHeldCommits(worktree)
  const containment = await readContainment(worktree.repo, commits, request.targets)
  return { hindrance: undefined, uncommitted, containment, usedAtMs }
}

async function findReason(
  { repo, path, gitDir, folder }: Inspected,
  { placed, running }: InspectionRequest,
): Promise<string | undefined> {
  if (folder === "unmounted") return "the folder that it lay in is missing: perhaps not mounted"
  const operation = readOperation(gitDir)
  if (operation) return `somebody is in the middle of a ${operation.kind} there`
  const user = running.find(({ cwd }) => cwd === path || cwd.startsWith(`${path}/`))
  if (user) return `process ${user.pid} runs there`
  if (existsSync(join(gitDir, "index.lock"))) return "git holds the lock of its index"
  const hindrance = await findHindrance(repo, path, placed)
  return hindrance === "absent" ? undefined : hindrance?.replace(/\.$/, "")
}

async function countUncommitted(
  { repo, path, gitDir, folder }: Inspected,
  placed: readonly string[],
): Promise<number> {
  // Of a folder that is gone only what was staged is left, if anything was.
  if (folder === "gone") {
    const isStaged = existsSync(join(gitDir, "index")) && (await isIndexChanged(repo, gitDir))
    return isStaged ? 1 : 0
  }
  if (isUnfilled(gitDir)) return 0 // a checkout that was cut short is nobody's work
  const status = await onIndexCopy(path, async (indexFile) => {
    await revealPresent(path, { indexFile })
    return await readStatus(path, { indexFile })
  })
  const { staged, unstaged, unmerged, untracked } = status
  const others = untracked.filter((file) => !isPlaced(file, placed))
  return new Set([...staged, ...unstaged, ...unmerged, ...others]).size
}

const OWN_REFS = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"]

/** What goes, or may go, with the worktree: where it stands, its branch, and refs of its own. */
export async function listHeldCommits(worktree: Inspected): Promise<Oid[]> {
  const { repo, path, gitDir, head, ownBranch, folder } = worktree
  const branch =
    ownBranch === undefined ? undefined : await readCommit(repo, `refs/heads/${ownBranch}`)
  const place = folder === "there" ? path : gitDir
  const refs = await listRefs(place, ...OWN_REFS)
  const own = await Promise.all(refs.map(({ ref }) => readCommit(place, ref)))
  return [...new Set([head, branch, ...own].filter((commit) => commit !== undefined))]
}

const MARKS = ["HEAD", "index", "logs/HEAD", "ORIG_HEAD"]

function readUsedAtMs({ path, gitDir }: Inspected): number {
  const files = [path, ...MARKS.map((name) => join(gitDir, name))]
  const times = files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.max(...times)
}
