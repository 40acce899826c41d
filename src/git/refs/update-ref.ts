/**
 * `git update-ref`: the only code in this program that moves a ref.
 *
 * The compare-and-swap is git's own, taken under the ref's lock: of many who move a ref from the
 * same commit, one wins. Refs are full names, and are never followed where they are symbolic: an
 * agent can make any ref stand for the target, and to move or delete that one would be to land.
 *
 * @see https://git-scm.com/docs/git-update-ref
 */
import type { Oid, RefName } from "../../core/ids.ts"
import { type Dialogue, openDialogue } from "../dialogue.ts"
import { GitError, type GitResult, GitStartError } from "../errors.ts"
import { git } from "../exec.ts"
import { type RefRefused, whyRefused } from "./ref-lock.ts"

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

/** A move that cannot fail any more for anybody else's doing: git holds the ref's and HEAD's lock. */
export type PreparedRef = AsyncDisposable & {
  readonly kind: "prepared"
  /** Of the git that holds the locks; killed, it leaves them behind. */
  readonly pid: number
  /** @throws {GitError} when git died; then ask where the ref is. */
  commit(): Promise<void>
  abort(): Promise<void>
}

/**
 * Moves a ref, if it is still at `from`.
 *
 * @returns `stale` when it is not; `locked` while somebody else's lock is in the way.
 * @throws {GitError} when git fails for any other reason.
 */
export function updateRef(cwd: string, { ref, from, to, reason }: RefMove): Promise<RefMoved> {
  return move(cwd, { ref, from }, [...reflog(ref, reason), ref, to, from ?? ""])
}

/** Deletes a ref, if it is still at `from`. Outcomes as of {@link updateRef}. */
export function deleteRef(
  cwd: string,
  { ref, from, reason }: Omit<RefMove, "to"> & { readonly from: Oid },
): Promise<RefMoved> {
  return move(cwd, { ref, from }, ["-m", reason, "-d", ref, from])
}

/** Deletes refs that are ours alone, wherever they are; one that is not there is fine. */
export async function deleteRefs(cwd: string, refs: readonly RefName[]): Promise<void> {
  await git(cwd, [...UPDATE_REF, "--stdin"], {
    stdin: refs.map((ref) => `delete ${ref}\n`).join(""),
  })
}

/**
 * Takes the locks for a move and checks it, so that only {@link PreparedRef.commit} is left to do.
 * When we die before, git sees the end of its input and lets go.
 *
 * @throws {GitError} when git was killed, and may have left the lock that is there now: mend.
 * @param options `onPid` is told git's process id before any lock is taken.
 */
export async function prepareRef(
  cwd: string,
  refMove: RefMove,
  options: PrepareOptions = {},
): Promise<PreparedRef | RefRefused> {
  const { ref, from, reason } = refMove
  const args = [...UPDATE_REF, ...reflog(ref, reason), "--stdin"]
  const prepared = await tryPrepare(await openDialogue(cwd, args), args, { refMove, ...options })
  if (prepared.kind === "prepared") return prepared
  const error = failure(args, prepared.result)
  const refused = await whyRefused(cwd, ref, from)
  const isOwnLock = refused?.kind === "locked" && error instanceof GitError && error.transient
  if (refused && !isOwnLock) return refused
  throw error
}

type PrepareOptions = { readonly onPid?: (pid: number) => void }
type Unprepared = { readonly kind: "ended"; readonly result: GitResult }

/** @throws what `onPid` does; git was told nothing then. */
async function tryPrepare(
  dialogue: Dialogue,
  args: readonly string[],
  { refMove, onPid }: PrepareOptions & { readonly refMove: RefMove },
): Promise<PreparedRef | Unprepared> {
  try {
    onPid?.(dialogue.pid)
  } catch (error) {
    await dialogue.end()
    throw error
  }
  dialogue.say(`start\n${moveLine(refMove)}\nprepare\n`)
  if (!(await dialogue.hear("prepare: ok"))) return { kind: "ended", result: await dialogue.end() }
  return preparedBy(dialogue, args)
}

function preparedBy(dialogue: Dialogue, args: readonly string[]): PreparedRef {
  const finish = async (verb: "commit" | "abort") => {
    dialogue.say(`${verb}\n`)
    const isDone = await dialogue.hear(`${verb}: ok`)
    const ended = dialogue.end()
    if (verb === "commit" && !isDone) throw failure(args, await ended)
  }
  let finished: Promise<void> | undefined
  const commit = () => (finished ??= finish("commit"))
  const abort = () => (finished ??= finish("abort"))
  return {
    kind: "prepared",
    pid: dialogue.pid,
    commit,
    abort,
    async [Symbol.asyncDispose]() {
      if (!finished) await abort()
    },
  }
}

/** One for which all is well, and which did not say so, saw the end of its input: who was to tell it was killed. */
const failure = (args: readonly string[], result: GitResult): GitError | GitStartError =>
  result.exitCode === 0
    ? new GitStartError("git update-ref was not told all that it was to do")
    : new GitError(args, result)

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
    if (isRetry) throw new GitError(args, result)
  }
}

/** Of refs whose history people ask for; bare repositories keep none of branches unless told to. */
const LOGGED = /^refs\/(heads|coppice\/rescue)\//

function reflog(ref: RefName, reason: string): string[] {
  return [...(LOGGED.test(ref) ? ["--create-reflog"] : []), "-m", reason]
}
