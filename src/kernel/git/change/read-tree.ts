/**
 * `git read-tree`: moves a checkout from one commit to another, without moving HEAD.
 *
 * Git protects modified and untracked files, but overwrites ignored ones: check for those first.
 * All functions run in their own worktree. The index changes through own-index.ts, so a crash can
 * leave some files half-way, but never a stale lock.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Oid } from "../../../base/ids.ts"
import { gitDir } from "../ask/rev-parse.ts"
import { type CheckoutConfig, trueModes } from "../ask/true-modes.ts"
import { assertOwnGitDir } from "../ask/worktree-of.ts"
import { indexEnv } from "../start/environment.ts"
import { GitError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { onIndexCopy } from "./index-copy.ts"
import { gitNeedingIndex, type Locked } from "./index-lock.ts"
import { moveOverWritten } from "./over-written.ts"
import {
  findIndexLock,
  type HeldIndex,
  type OwnIndex,
  type OwnLocks,
  onOwnIndex,
} from "./own-index.ts"
import { refreshIndex } from "./update-index.ts"

const WHOLE = { "core.sparseCheckout": "false" }

export type TreeMove = { readonly from: Oid; readonly to: Oid }
export type TreeRead =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly stderr: string }
  | { readonly kind: "locked" }
/** `onPid` gets git's process id as soon as it runs. */
export type TreeOptions = {
  readonly onPid?: (pid: number) => void
  /** Includes the files that a sparse checkout leaves out. For agents' worktrees. */
  readonly isWhole?: boolean
  /** The worktree's configuration, if the caller has just read it. */
  readonly config?: CheckoutConfig
}

/**
 * Asks how {@link readTree} would end now; changes nothing. While another git holds the index, it
 * may be half-way through the files, so a refusal does not count.
 *
 * @param ours index locks of the caller.
 */
export async function tryReadTree(
  cwd: string,
  move: TreeMove,
  ours?: OwnLocks,
): Promise<{ readonly kind: "done" | "refused" } | Locked> {
  const held = await findIndexLock(cwd, ours)
  if (held) return { kind: "locked", lock: held }
  const isFree = await onIndexCopy(
    cwd,
    async (indexFile) =>
      (await goesThrough(cwd, move, indexFile)) ||
      (await findWay(cwd, move, indexFile)) !== undefined,
  )
  if (isFree) return { kind: "done" }
  const lock = await findIndexLock(cwd, ours)
  return lock ? { kind: "locked", lock } : { kind: "refused" }
}

async function goesThrough(cwd: string, { from, to }: TreeMove, indexFile: string) {
  const args = ["read-tree", "-n", "-m", "-u", from, to]
  return (await git(cwd, args, { answers: [0, 128], env: indexEnv(indexFile) })).exitCode === 0
}

/**
 * Git refuses to overwrite a file with a new time stamp until the index is refreshed, and one that it always calls changed.
 * Both are rare.
 */
async function findWay(cwd: string, move: TreeMove, indexFile: string) {
  await refreshIndex(cwd, { indexFile })
  if (await goesThrough(cwd, move, indexFile)) return move
  const over = await moveOverWritten(cwd, move, indexFile)
  return over && (await goesThrough(cwd, over, indexFile)) ? over : undefined
}

/**
 * Moves index and files from one tree to another, and keeps local edits elsewhere. A new time stamp
 * alone is not an edit, nor is what git calls changed in every fresh checkout.
 *
 * @param options `held` if the caller has the index lock. `whileLocked` runs when index and files
 *   are at `to`, still under the lock.
 * @returns `refused` if that would overwrite something, or if git failed half-way (disk full).
 */
export async function readTree(
  cwd: string,
  move: TreeMove,
  { held, whileLocked, ...options }: TreeOptions & Holding = {},
): Promise<TreeRead> {
  const read = async (own: OwnIndex): Promise<TreeRead> => {
    const go = ({ from, to }: TreeMove) =>
      tell(run(cwd, ["read-tree", "-m", "-u", from, to], { own, ...options }))
    const first = await go(move)
    const way = first.kind === "refused" && (await findWay(cwd, move, own.indexFile))
    const last = way ? await go(way) : first
    if (last.kind === "done") own.put()
    if (last.kind === "done") await whileLocked?.()
    return last
  }
  const result = await (held ? held.on(read) : onOwnIndex(cwd, read))
  return result.kind === "locked" ? { kind: "locked" } : result
}

type Holding = { readonly held?: HeldIndex; readonly whileLocked?: () => Promise<void> }

/**
 * Rebuilds the index from a commit without reading files. Nothing of the old index remains, such as
 * forged file times or hidden paths. Never for a user's own checkout.
 *
 * @throws {NoWorktreeError} @throws {IndexLockedError}
 */
export async function rebuildIndex(cwd: string, to: Oid): Promise<void> {
  assertOwnGitDir(cwd)
  await rm(join(await gitDir(cwd), "index"), { force: true })
  await gitNeedingIndex(cwd, ["read-tree", to], { settings: WHOLE })
}

/**
 * Resets index and files to `to`, with modes and links, whatever their state. Keeps untracked files
 * that `to` lacks. Never for a user's own checkout.
 *
 * @throws {NoWorktreeError}
 */
export async function resetTree(
  cwd: string,
  to: Oid,
  { config, ...options }: TreeOptions = {},
): Promise<{ readonly kind: "done" } | { readonly kind: "locked" }> {
  const args = ["read-tree", "--reset", "-u", to]
  const modes = (await trueModes(cwd, config)) ?? {}
  const result = await onOwnIndex(cwd, async (own) => {
    assertOwnGitDir(cwd)
    await run(cwd, args, { ...options, own, modes, isWhole: true })
    return { kind: "done" } as const
  })
  return { kind: result.kind }
}

type Run = { readonly own: OwnIndex; readonly modes?: Readonly<Record<string, string>> }

async function run(
  cwd: string,
  args: readonly string[],
  { own, onPid, isWhole, modes }: TreeOptions & Run,
): Promise<void> {
  const tellBoth = (pid: number) => {
    own.onPid(pid)
    onPid?.(pid)
  }
  const settings = { ...modes, ...(isWhole && WHOLE) }
  await git(cwd, args, { env: indexEnv(own.indexFile), settings, onPid: tellBoth })
}

async function tell(running: Promise<void>): Promise<TreeRead> {
  try {
    await running
    return { kind: "done" }
  } catch (error) {
    if (error instanceof GitError && error.result.exitCode === 128)
      return { kind: "refused", stderr: error.result.stderr }
    throw error
  }
}
