/** Finds the branch of a task: its earlier one, or a free name. */
import { createHash } from "node:crypto"
import { assert } from "../../../base/assert.ts"
import { branchOf, branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { lastWords } from "../../../base/text/shell-word.ts"
import { isSet } from "../../git/ask/config.ts"
import { isUnbornNowhere } from "../../git/ask/heads.ts"
import { listRefs } from "../../git/ask/list-refs.ts"
import { readOperation } from "../../git/ask/operation-in-progress.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { branchName } from "../branch-name.ts"
import { BranchInUseError, WorkspaceError } from "../errors.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { findLeftTip } from "./left-branch.ts"

export type BranchQuestion = {
  readonly repo: string
  readonly request: WorkspaceRequest
  /** The commit that new work starts from. */
  readonly base: Oid
}
/** `tip` is undefined when the branch has to be made. */
export type BranchChoice = {
  readonly branch: string
  readonly tip: Oid | undefined
  readonly notices: readonly string[]
}

/** How many tasks may share a pattern with equal results, e.g. `agent/{date}`. */
const SUFFIX_MAX = 1_000

/**
 * The branch that an earlier set-up recorded, else a free name. An existing branch with the wanted
 * name is a person's or another task's, whatever it holds, and is left alone.
 *
 * For a new branch, {@link assertNoClash} explains why it cannot be made.
 *
 * @throws {BranchInUseError}
 */
export async function chooseBranch(question: BranchQuestion): Promise<BranchChoice> {
  const { repo, request, base } = question
  const { earlier, target } = request
  if (earlier) return await ownBranch(repo, earlier.branch)
  const begun = request.findBegun()
  const left = begun && (await findLeftTip(repo, begun))
  if (left) return { branch: begun.branch, tip: left, notices: [] }
  const name = await tellApart(repo, branchName(request.branchPattern, request))
  for (let n = 1; n <= SUFFIX_MAX; n++) {
    const branch = n === 1 ? name : `${name}-${n}`
    if (branch === target) continue // a commit there would be a landing
    if (await readCommit(repo, branchRef(branch))) continue
    if (!(await isUnused(repo, branch))) continue
    request.recordBranch({ branch, at: base })
    const isOther = `${name} is not a branch of this task, which works on ${branch}.`
    return { branch, tip: undefined, notices: n === 1 ? [] : [isOther] }
  }
  assert(false, "one of a thousand branch names is free")
}

/** If the file system ignores case: the name, unless another branch differs only in case. */
async function tellApart(repo: string, name: string): Promise<string> {
  if (!(await isSet(repo, "core.ignoreCase"))) return name
  const branches = (await listRefs(repo, "refs/heads/")).map(({ ref }) => branchOf(ref))
  const isTwin = (other: string) => other !== name && folded(other) === folded(name)
  if (branches.includes(name) || !branches.some(isTwin)) return name
  return `${name}-${createHash("sha256").update(name).digest("hex").slice(0, 6)}`
}

const folded = (name: string) => name.normalize("NFC").toLowerCase()

async function ownBranch(repo: string, branch: string): Promise<BranchChoice> {
  const tip = await readCommit(repo, branchRef(branch))
  const user = await findUser(repo, branchRef(branch))
  if (user) throw new BranchInUseError(branch, user)
  return { branch, tip, notices: [] }
}

/** @param branch does not exist; it can be checked out all the same. */
async function isUnused(repo: string, branch: string): Promise<boolean> {
  const ref = branchRef(branch)
  return isUnbornNowhere(repo, ref) || (await findUser(repo, ref)) === undefined
}

/** The worktree that has the branch checked out, or will return to it after a rebase. */
async function findUser(repo: string, ref: RefName): Promise<string | undefined> {
  for (const { path, branch, gitDir } of await listWorktrees(repo)) {
    if (branch === ref) return path
    if (gitDir !== undefined && readOperation(gitDir)?.branch === ref) return path
  }
  return undefined
}

type Refs = Awaited<ReturnType<typeof listRefs>>

/** All branches that could clash with this one, or with its numbered variants. */
function listNeighbours(repo: string, branch: string): Promise<Refs> {
  const slash = branch.indexOf("/")
  return listRefs(repo, slash < 0 ? "refs/heads/" : branchRef(branch.slice(0, slash)))
}

/**
 * A ref is a file, so its name cannot be a folder of another ref.
 *
 * @throws {WorkspaceError} `workspace.branch_clash` (user).
 */
export async function assertNoClash(repo: string, branch: string): Promise<void> {
  const ref = branchRef(branch)
  const clash = (await listNeighbours(repo, branch)).find(
    (other) => ref.startsWith(`${other.ref}/`) || other.ref.startsWith(`${ref}/`),
  )
  if (!clash) return
  const name = branchOf(clash.ref)
  throw new WorkspaceError(
    "workspace.branch_clash",
    `The branch ${branch} cannot be made, because ${clash.ref} exists.`,
    [
      `Rename that branch: \`git branch -m ${lastWords(name)} <other name>\`.`,
      "Or set `workspace.branch_pattern` in coppice.yml to another beginning.",
    ],
  )
}
