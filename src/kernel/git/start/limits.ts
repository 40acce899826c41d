/**
 * Limits how long a git may take.
 *
 * Git hangs if a pipe replaces a file that it opens, or if a signal suspends it. So each git has a
 * time limit, and a shorter one once its caller gives up. A normal git has ended by then, and one
 * that waits for a pipe delays nothing for long.
 *
 * Everything that stops when its caller gives up takes a `signal`. A local git does not stop then: it
 * ends as usual, or at the shorter limit. So this file alone finds the caller in the context, and the
 * owner of each signal puts it there, with `abortable`.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { setMaxListeners } from "node:events"
import { AppError } from "../../../base/errors.ts"
import { UnreadableFileError } from "../../process/errors.ts"
import { commonDirOf, findGitDir } from "./git-dir.ts"

export const LIMITS = {
  /** A checkout of a large repository on a slow disk takes minutes. Network commands name their own. */
  gitMs: 10 * 60_000,
  /** After the caller has given up. */
  abandonedMs: 10_000,
}
/** How long git may take to remove its lock files after SIGTERM. */
const END_MS_MAX = 2_000

const signals = new AsyncLocalStorage<AbortSignal>()

/** Runs `action`. A git that it starts has less time left once `signal` aborts. */
export function abortable<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  setMaxListeners(0, signal) // one for each git that runs at the same time
  return signals.run(signal, action)
}

/**
 * Calls `onOver` when the time of a git that starts now is over.
 *
 * @returns ends the limit.
 */
export function limitTime(onOver: (limitMs: number) => void): () => void {
  const signal = signals.getStore()
  const start = (limitMs: number) => setTimeout(() => onOver(limitMs), limitMs)
  let timer = start(signal?.aborted ? LIMITS.abandonedMs : LIMITS.gitMs)
  const shorten = () => {
    clearTimeout(timer)
    timer = start(LIMITS.abandonedMs)
  }
  signal?.addEventListener("abort", shorten, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", shorten)
  }
}

/**
 * Sends SIGTERM and SIGCONT to a process group, and later SIGKILL to members that have not ended.
 *
 * @returns call it when the group's first process has ended. If that was the last member, there is
 *   no SIGKILL. As long as a member lives, no other group gets the number.
 */
export function endGroup(group: number): () => void {
  send(group, "SIGTERM")
  send(group, "SIGCONT")
  const kill = setTimeout(() => send(group, "SIGKILL"), END_MS_MAX)
  return () => {
    if (!hasMembers(group)) clearTimeout(kill)
  }
}

function hasMembers(group: number): boolean {
  return send(group, 0)
}

/** Called only before we know that the whole group has ended, so the number is still its own. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    if (GONE.includes((error as NodeJS.ErrnoException).code)) return false
    throw error
  }
}

/** The group has just ended: some systems refuse signals to zombies. */
const GONE: readonly unknown[] = ["ESRCH", "EPERM"]

/** A git exceeded its time limit and was ended. It may have done its work. */
export class GitTimeoutError extends AppError {
  constructor(command: string, folder: string, limitMs: number) {
    const limit = `${Math.ceil(limitMs / 1000)} s`
    const message = `git ${command} in ${folder} was ended after its limit of ${limit}`
    super("git.timed_out", "world", message, {
      transient: true,
      hints: [
        `Look for a pipe in the place of one of its files there, and remove it: ${findPipes(folder)}`,
        "Check that the disk answers, and that nothing has stopped git.",
      ],
    })
  }
}

function findPipes(folder: string): string {
  const quoted = placesOf(folder).map((place) => `'${place.replaceAll("'", "'\\''")}'`)
  return ["find", ...quoted, "-type", "p"].join(" ")
}

/** A linked worktree keeps its git files elsewhere. */
function placesOf(folder: string): string[] {
  try {
    const gitDir = findGitDir(folder)
    const common = gitDir === undefined ? folder : commonDirOf(gitDir)
    return isInside(common, folder) ? [folder] : [folder, common]
  } catch (error) {
    if (error instanceof UnreadableFileError) return [folder] // the folder's `.git` may be the pipe
    throw error
  }
}

const isInside = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)
