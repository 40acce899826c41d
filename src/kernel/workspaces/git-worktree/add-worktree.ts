/**
 * Adds a task's worktree, or puts it back, on the branch of that task.
 *
 * Safe to repeat after death at any instant. The leftovers of a killed try are inspected and cleared
 * first. Its branch holds no work yet, so it is used again.
 */
import { dirname, join } from "node:path"
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { isAncestor, readMergeBase } from "../../git/ask/merge-base.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import type { CheckoutConfig } from "../../git/ask/true-modes.ts"
import { deleteRef, updateRef } from "../../git/change/update-ref.ts"
import { addExistingBranch, addWorktree, disableSparse } from "../../git/change/worktree-add.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import type { Db } from "../../store/open.ts"
import { RefBusyError } from "../errors.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { findOwnWorktree, recordWorktree } from "../rows/worktrees.ts"
import { taskName } from "../slug.ts"
import { keepPrefix } from "../task-refs.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { assertNoClash, type BranchChoice, chooseBranch } from "./choose-branch.ts"
import { fillWorktree, markUnfilled } from "./fill-worktree.ts"
import { freePath } from "./free-path.ts"
import type { FreshBase } from "./fresh-base.ts"
import { madeFor } from "./left-branch.ts"
import { madeFolder } from "./made-folder.ts"
import type { WorktreeContext } from "./worktree-context.ts"

export type AddedWorktree = {
  readonly worktree: string
  readonly branch: string
  readonly base: Oid
  readonly notices: readonly string[]
}

export async function addTaskWorktree(
  context: WorktreeContext,
  repository: Repository,
  request: WorkspaceRequest,
  base: FreshBase,
): Promise<AddedWorktree> {
  const { signal } = request
  const { checkout } = base
  const folder = worktreesFolder(request)
  const known = request.earlier?.worktree
  const place = await madeFolder(known ? dirname(known) : folder, repository.root)
  const toAdd = { repository, request, base: base.commit, checkout }
  const addIt = async () => {
    const path = known ?? freshPath(context, toAdd, place)
    return await addUnderLock(context, { ...toAdd, path })
  }
  const added = await withRepoLock(repository.commonDir, addIt, signal)
  await fillWorktree(added.path, added.head, { checkout, signal })
  return {
    worktree: added.path,
    branch: added.branch,
    base: await startOf(toAdd, added.head, base.target),
    notices: [...base.notices, ...added.notices],
  }
}

function freshPath(
  { db }: WorktreeContext,
  { repository: { root }, request }: Omit<ToAdd, "path">,
  folder: string,
): string {
  return ownPath(db, { folder, name: taskName(request.task, request.title), root })
}

type ToAdd = {
  readonly repository: Repository
  readonly request: WorkspaceRequest
  readonly path: string
  /** The commit that new work starts from. */
  readonly base: Oid
  readonly checkout: CheckoutConfig
}
type Added = {
  readonly path: string
  readonly branch: string
  readonly head: Oid
  readonly notices: readonly string[]
}

async function addUnderLock(context: WorktreeContext, toAdd: ToAdd): Promise<Added> {
  const { repository, request, path, base, checkout } = toAdd
  const repo = repository.root
  const { task } = request
  await freePath(context, { repository, path, task, base })
  const choice = await chooseBranch({ repo, request, base })
  const { branch } = choice
  await keepPrefix(repo, { home: context.home, task }) // the first home is known from now on
  recordWorktree(context.db, { path, repo, purpose: "task", task, branch })
  const { notices, head } = await addOn(toAdd, choice, madeFor({ home: context.home, task }))
  markUnfilled(await gitDir(path))
  await disableSparse(path, checkout)
  return { path, branch, head, notices: [...choice.notices, ...notices] }
}

/**
 * Adds the worktree on the branch, which is created, or moved up to the base if it has no own
 * commits.
 */
async function addOn(
  toAdd: ToAdd,
  choice: BranchChoice,
  reason: string,
): Promise<Pick<Added, "notices" | "head">> {
  const { repository, path, base } = toAdd
  const repo = repository.root
  const { branch, tip } = choice
  const ref = branchRef(branch)
  if (!tip) {
    await makeNew(toAdd, branch, reason)
    try {
      await addWorktree(repo, { path, branch })
    } catch (error) {
      // The branch must not outlive a worktree that could not be made.
      await deleteRef(repo, { ref, from: base, reason: "coppice: set-up failed" })
      throw error
    }
    return { notices: [], head: base }
  }
  const isContained = await isAncestor(repo, tip, base)
  if (isContained && tip !== base) {
    const move = { ref, from: tip, to: base, reason: "coppice: start from the target" }
    if ((await updateRef(repo, move)).kind !== "moved") throw new RefBusyError(ref)
  }
  await addExistingBranch(repo, { path, branch })
  if (isContained) return { notices: [], head: base }
  return { notices: [`The work goes on where the branch ${branch} was left.`], head: tip }
}

/** Without `worktree add -b`: if that failed, we could not tell who made the branch. */
async function makeNew({ repository, base }: ToAdd, branch: string, reason: string): Promise<void> {
  const ref = branchRef(branch)
  try {
    const made = await updateRef(repository.root, { ref, from: null, to: base, reason })
    if (made.kind !== "moved") throw new RefBusyError(ref)
  } catch (error) {
    await assertNoClash(repository.root, branch)
    throw error
  }
}

/** The start of the branch's own commits. */
async function startOf(
  { repository, request, base }: Omit<ToAdd, "path">,
  head: Oid,
  target: Oid,
): Promise<Oid> {
  const repo = repository.root
  if (head === base && !request.goesOn) return base
  const recorded = request.earlier?.base
  if (recorded && (await isAncestor(repo, recorded, head))) return recorded
  return (await readMergeBase(repo, head, request.goesOn ? target : base)) ?? base
}

/** More worktrees with the same task number and title than any folder has. */
const PATHS_MAX = 1_000

type PathSought = {
  /** Holds the worktrees; real path. */
  readonly folder: string
  readonly name: string
  /** The repository's main worktree, or bare directory. */
  readonly root: string
}

/**
 * Chooses the path of a task's new worktree. Called under the repository's lock.
 *
 * Repositories may share the folder, homes may share a repository, and each home counts its tasks
 * from one. If another home or repository has a worktree of that name, a number is added.
 */
function ownPath(db: Db, { folder, name, root }: PathSought): string {
  const isNeighbours = (path: string) =>
    findGitDir(path) !== undefined && findOwnWorktree(db, path)?.repo !== root
  for (let n = 1; n <= PATHS_MAX; n++) {
    const path = join(folder, n === 1 ? name : `${name}-${n}`)
    if (!isNeighbours(path)) return path
  }
  assert(false, "one of a thousand paths is free")
}
