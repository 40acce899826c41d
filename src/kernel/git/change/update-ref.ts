/**
 * `git update-ref`: the only code in this program that moves a ref, but for a worktree's own branch.
 *
 * Git does the compare-and-swap under the ref's lock: if several processes move a ref from the same
 * commit, one wins. Refs are full names, and symbolic refs are never followed. An agent can make
 * any ref symbolic to the target, and following it would land unchecked work.
 *
 * @see https://git-scm.com/docs/git-update-ref
 */
import type { Oid, RefName } from "../../../base/ids.ts"
import { listRefLocks, type RefRefused, whyRefused } from "../ask/ref-lock.ts"
import { GitError, type GitResult, GitStartError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { gitFailure } from "../start/failure.ts"
import { type LongRunningGit, openLongRunning } from "../start/long-running.ts"

const UPDATE_REF = ["update-ref", "--no-deref"]

export type RefMove = {
  readonly ref: RefName
  /** Where it must be now; null: it must not exist. */
  readonly from: Oid | null
  readonly to: Oid
  /** For the reflog. */
  readonly reason: string
}
export type RefMoved = { readonly kind: "moved" } | RefRefused

/**
 * A move that no other process can make fail any more: git holds the locks of the ref and of HEAD.
 */
export type PreparedRef = AsyncDisposable & {
  readonly kind: "prepared"
  /** The git that holds the locks. If killed, it leaves them behind. */
  readonly pid: number
  /** @throws {GitError} if git died; then ask where the ref is. */
  commit(): Promise<void>
  abort(): Promise<void>
}

/**
 * Moves a ref, if it is still at `from`.
 *
 * @returns `stale` if it is not; `locked` while another process holds a lock.
 * @throws {GitError} if git fails for any other reason.
 */
export function updateRef(cwd: string, { ref, from, to, reason }: RefMove): Promise<RefMoved> {
  return move(cwd, { ref, from }, [...reflog(ref, reason), ref, to, from ?? ""])
}

/** Deletes a ref, if it is still at `from`. Outcomes like {@link updateRef}. */
export function deleteRef(
  cwd: string,
  { ref, from, reason }: Omit<RefMove, "to"> & { readonly from: Oid },
): Promise<RefMoved> {
  return move(cwd, { ref, from }, ["-m", reason, "-d", ref, from])
}

/**
 * Deletes refs that are ours alone, whatever they point at. A missing ref is fine.
 *
 * @returns a ref whose lock another git holds: then all of them stay.
 */
export async function deleteRefs(
  cwd: string,
  refs: readonly RefName[],
): Promise<RefName | undefined> {
  const args = [...UPDATE_REF, "--stdin"]
  const stdin = refs.map((ref) => `delete ${ref}\n`).join("")
  for (let isRetry = false; ; isRetry = true) {
    const result = await git(cwd, args, { stdin, answers: [0, 1, 128] })
    if (result.exitCode === 0) return undefined
    for (const ref of refs) if ((await listRefLocks(cwd, ref)).length > 0) return ref
    // A lock may have gone before we looked, so try once more.
    if (isRetry) throw await gitFailure(cwd, { args, result })
  }
}

/**
 * Takes the locks for a move and checks it, so that only {@link PreparedRef.commit} remains. If we
 * die before that, git's input ends and git releases the locks.
 *
 * @throws {GitError} if git was killed, and may have left the present lock: then repair.
 * @param options `onPid` gets git's process id before any lock is taken.
 */
export async function prepareRef(
  cwd: string,
  refMove: RefMove,
  options: PrepareOptions = {},
): Promise<PreparedRef | RefRefused> {
  const { ref, from, reason } = refMove
  const args = [...UPDATE_REF, ...reflog(ref, reason), "--stdin"]
  const prepared = await tryPrepare(cwd, args, { refMove, ...options })
  if (prepared.kind === "prepared") return prepared
  const error = await failure(cwd, args, prepared.result)
  const refused = await whyRefused(cwd, ref, from)
  const isOwnLock = refused?.kind === "locked" && error instanceof GitError && error.transient
  if (refused && !isOwnLock) return refused
  throw error
}

type PrepareOptions = { readonly onPid?: (pid: number) => void }
type Unprepared = { readonly kind: "ended"; readonly result: GitResult }

/** @throws the error of `onPid`. Git then got no input. */
async function tryPrepare(
  cwd: string,
  args: readonly string[],
  { refMove, onPid }: PrepareOptions & { readonly refMove: RefMove },
): Promise<PreparedRef | Unprepared> {
  const running = await openLongRunning(cwd, args)
  try {
    onPid?.(running.pid)
  } catch (error) {
    await running.end()
    throw error
  }
  running.writeLines(`start\n${moveLine(refMove)}\nprepare\n`)
  if (!(await running.waitFor("prepare: ok"))) return { kind: "ended", result: await running.end() }
  return preparedBy(running, (result) => failure(cwd, args, result))
}

function preparedBy(
  running: LongRunningGit,
  fail: (result: GitResult) => Promise<Error>,
): PreparedRef {
  const finish = async (verb: "commit" | "abort") => {
    running.writeLines(`${verb}\n`)
    const isDone = await running.waitFor(`${verb}: ok`)
    const ended = running.end()
    if (verb === "commit" && !isDone) throw await fail(await ended)
  }
  let finished: Promise<void> | undefined
  const commit = () => (finished ??= finish("commit"))
  const abort = () => (finished ??= finish("abort"))
  return {
    kind: "prepared",
    pid: running.pid,
    commit,
    abort,
    async [Symbol.asyncDispose]() {
      if (!finished) await abort()
    },
  }
}

/**
 * Exit code 0 without the expected line means that git's input ended too early: our process was
 * killed.
 */
async function failure(
  cwd: string,
  args: readonly string[],
  result: GitResult,
): Promise<GitError | GitStartError> {
  if (result.exitCode !== 0) return await gitFailure(cwd, { args, result })
  return new GitStartError("the input of git update-ref ended too early")
}

const moveLine = ({ ref, from, to }: RefMove): string =>
  from === null ? `create ${ref} ${to}` : `update ${ref} ${to} ${from}`

async function move(
  cwd: string,
  { ref, from }: Pick<RefMove, "ref" | "from">,
  rest: readonly string[],
): Promise<RefMoved> {
  const args = [...UPDATE_REF, ...rest]
  for (let isRetry = false; ; isRetry = true) {
    const result = await git(cwd, args, { answers: [0, 1, 128] })
    if (result.exitCode === 0) return { kind: "moved" }
    const refused = await whyRefused(cwd, ref, from)
    if (refused) return refused
    // A lock may have gone before we looked, so try once more.
    if (isRetry) throw await gitFailure(cwd, { args, result })
  }
}

/** Refs whose reflog people need; a list of stashes is one. By default a bare repository keeps no reflogs of branches. */
const LOGGED = /^refs\/(heads\/|coppice\/rescue\/|stash$)/

function reflog(ref: RefName, reason: string): string[] {
  return [...(LOGGED.test(ref) ? ["--create-reflog"] : []), "-m", reason]
}
