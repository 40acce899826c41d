/**
 * `git update-ref`: the only code in this program that moves a ref.
 *
 * The compare-and-swap is git's own, taken under the ref's lock: of many who move a ref from the
 * same commit, one wins. Refs are full names, and are never followed where they are symbolic: an
 * agent can make any ref stand for the target, and to move or delete that one would be to land.
 *
 * @see https://git-scm.com/docs/git-update-ref
 */
import type { Oid, RefName } from "../core/ids.ts"
import { openDialogue } from "./dialogue.ts"
import { GitError } from "./errors.ts"
import { git } from "./exec.ts"
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
 * @param options `onPid` is told git's process id before any lock is taken.
 */
export async function prepareRef(
  cwd: string,
  { ref, from, to, reason }: RefMove,
  options: { readonly onPid?: (pid: number) => void } = {},
): Promise<PreparedRef | RefRefused> {
  const args = [...UPDATE_REF, ...reflog(ref, reason), "--stdin"]
  const command = from === null ? `create ${ref} ${to}` : `update ${ref} ${to} ${from}`
  const dialogue = await openDialogue(cwd, args, options)
  dialogue.say(`start\n${command}\nprepare\n`)
  if (!(await dialogue.hear("prepare: ok"))) {
    const result = await dialogue.end()
    const refused = await whyRefused(cwd, ref, from)
    if (!refused) throw new GitError(args, result)
    return refused
  }
  const finish = async (verb: "commit" | "abort") => {
    dialogue.say(`${verb}\n`)
    const isDone = await dialogue.hear(`${verb}: ok`)
    const ended = dialogue.end()
    if (verb === "commit" && !isDone) throw new GitError(args, await ended)
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
