/**
 * Makes everything in a worktree that is nowhere else reachable by a ref, before it is changed.
 *
 *   refs/coppice/rescue/<task>/<n> → tree:    the files as they are
 *                                    parents: HEAD, and the index if it differs
 *
 * Covers commits (also of a detached HEAD), staged, unstaged, conflicting and untracked files.
 * Ignored files and those placed by `copy` and `link` are not work, and are left out unless named.
 * We write objects and one ref. The worktree and its index stay as they are, except for index bits
 * that hide edits. A second rescue of the same state finds the first one.
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { listRefs } from "../../git/ask/list-refs.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { addRaw } from "../../git/change/add-raw.ts"
import { commitTree } from "../../git/change/commit-objects.ts"
import { onIndexCopy } from "../../git/change/index-copy.ts"
import { revealPresent } from "../../git/change/reveal-files.ts"
import { writeTree } from "../../git/change/write-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { type Owner, rescuePrefix, whose } from "../task-refs.ts"
import { addRescueRef, findHolder } from "./add-ref.ts"
import { findUnsavedWork, type UnsavedWork } from "./find-work.ts"
import { refuseTooMuch } from "./rescue-bounds.ts"

export type RescueRequest = {
  readonly owner: Owner
  /** Commits known to be safe: what they contain needs no rescue. */
  readonly safeCommits: readonly Oid[]
  /** Paths that copy and link put there. */
  readonly placed: readonly string[]
  /** Ignored files or folders to save as well, because they are about to be overwritten. */
  readonly ignored?: readonly GitPath[]
  /** Completes "saved before …". */
  readonly reason: string
}

export type Rescue = {
  readonly ref: string
  readonly commit: Oid
  /** For people: the files that differ from HEAD, in addition to its commits. */
  readonly paths: readonly string[]
  /** Repositories inside the worktree: their files are saved if possible, their history is not. */
  readonly nested: readonly string[]
}

/**
 * @returns undefined when everything is contained and unchanged.
 * @param worktree an agent's, never the user's own checkout.
 * @throws {WorkspaceError} `workspace.rescue_too_large` (world); nothing was saved then.
 * @throws {IndexLockedError} while the index hides something.
 */
export async function rescueWorktree(
  worktree: string,
  request: RescueRequest,
): Promise<Rescue | undefined> {
  const { owner, safeCommits, reason } = request
  await revealPresent(worktree)
  const [{ commit: head }, work] = await Promise.all([
    readHead(worktree),
    findUnsavedWork(worktree, request),
  ])
  const found = { paths: work.changed.map(displayPath), nested: work.nested.map(displayPath) }
  if (work.changed.length === 0) {
    if (!head || (await isContained(worktree, head, safeCommits))) return undefined
    return {
      ...(await addRescueRef(worktree, { owner, commit: head, isState: false, reason })),
      ...found,
    }
  }
  await refuseTooMuch(worktree, work.toRead, "a rescue")
  const state = await commitState(worktree, { head, work, task: owner.task, reason })
  return {
    ...(await addRescueRef(worktree, { owner, commit: state, isState: true, reason })),
    ...found,
  }
}

type FilesRequest = Pick<RescueRequest, "owner" | "reason"> & {
  /** Git ignores all of them: the rescue goes before those of work. */
  readonly areIgnored?: boolean
}

/**
 * Saves only these files, as they are. It changes no index.
 *
 * @returns a rescue of another task if it holds the same files.
 */
export async function rescueFiles(
  worktree: string,
  paths: readonly GitPath[],
  { owner, reason, areIgnored }: FilesRequest,
): Promise<Rescue> {
  await refuseTooMuch(worktree, paths, "a rescue")
  const { commit: head } = await readHead(worktree)
  const work = { changed: paths, toRead: paths, nested: [], isStaged: false }
  const commit = await commitState(worktree, { head, work, task: owner.task, reason, areIgnored })
  const ref =
    (await findHolder(worktree, { owner, commit, paths })) ??
    (await addRescueRef(worktree, { owner, commit, isState: true, reason }))
  return { ...ref, paths: paths.map(displayPath), nested: [] }
}

/** Saves a commit without a worktree, e.g. of a branch. @returns undefined when contained. */
export async function rescueCommit(
  repo: string,
  commit: Oid,
  { owner, safeCommits, reason }: Pick<RescueRequest, "owner" | "safeCommits" | "reason">,
): Promise<Rescue | undefined> {
  if (await isContained(repo, commit, safeCommits)) return undefined
  return {
    ...(await addRescueRef(repo, { owner, commit, isState: false, reason })),
    paths: [],
    nested: [],
  }
}

/** The same for a commit that an earlier rescue of the task may contain. */
export async function rescueKept(
  repo: string,
  commit: Oid,
  { owner, safeCommits, reason }: Pick<RescueRequest, "owner" | "safeCommits" | "reason">,
): Promise<Rescue | undefined> {
  const rescues = await listRefs(repo, `${await rescuePrefix(repo, owner)}/`)
  const safe = [...safeCommits, ...rescues.map(({ oid }) => oid)]
  return await rescueCommit(repo, commit, { owner, safeCommits: safe, reason })
}

export async function isContained(cwd: string, commit: Oid, in_: readonly Oid[]): Promise<boolean> {
  if (in_.includes(commit)) return true
  for (const safe of in_) if (await isAncestor(cwd, commit, safe)) return true
  return false
}

type StateToCommit = {
  readonly head: Oid | undefined
  readonly work: UnsavedWork
  readonly task: Owner["task"]
  readonly reason: string
  readonly areIgnored?: boolean | undefined
}

/** Paths named in the commit's message. */
const NAMED_MAX = 200

/**
 * Writes a worktree as it is into a commit without a ref, with a temporary index.
 *
 * Files go in byte for byte: a clean filter or a line-end rule may drop content that cannot be
 * restored, and a failing filter must not keep work from being saved.
 */
async function commitState(worktree: string, state: StateToCommit): Promise<Oid> {
  const { head, work } = state
  const { staged, tree } = await onIndexCopy(worktree, async (indexFile) => {
    const staged = work.isStaged ? await writeTree(worktree, { indexFile }) : undefined
    await addRaw(worktree, work.toRead, { indexFile })
    return { staged, tree: await writeTree(worktree, { indexFile }) }
  })

  const parents = head ? [head] : []
  const [headTree] = head ? await readTrees(worktree, [head]) : []
  if (staged && staged !== tree && staged !== headTree)
    parents.push(await commitTree(worktree, { tree: staged, parents, message: "index" }))
  return await commitTree(worktree, { tree, parents, message: message(state) })
}

function message({ task, reason, work, areIgnored }: StateToCommit): string {
  const names = work.changed.slice(0, NAMED_MAX).map(displayPath)
  const more = work.changed.length - names.length
  const list = more > 0 ? [...names, `… and ${more} more`] : names
  const what = areIgnored ? " that git ignores" : "" // list-refs.ts reads it
  return `Work of ${whose({ task })}${what}, saved before ${reason}\n\n${list.join("\n")}\n`
}
