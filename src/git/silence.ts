/**
 * Ends a git that does nothing.
 *
 * It waits for ever where a pipe stands in the place of any file that it opens, and when somebody has
 * stopped it. How long it takes says nothing: a checkout may take minutes. So it is looked what it and its
 * children do; one that has used no processor, read nothing and not woken up at several looks in a row
 * waits for nothing that comes. Looks are counted, not time: a machine that slept has missed none.
 */
import { AppError } from "../core/errors.ts"
import { type Activity, readActivity } from "../process/activity.ts"
import { findSignal } from "./aborting.ts"
import { commonDirOf, findGitDir } from "./worktrees/git-dir.ts"

/** A minute, with which nothing honest on this machine is silent; less where nobody needs the answer. */
export const PATIENCE = { lookMs: 10_000, looksMax: 6, looksMaxUnwanted: 1 }
/** How long git may take to remove its lock files when told to end. */
const END_MS_MAX = 2_000

type Watched = {
  readonly group: number
  readonly signal: AbortSignal | undefined
  readonly onSilent: (silentMs: number) => void
  did: string | undefined
  looks: number
}

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

/**
 * @param group of a git that has something to do from now on.
 * @param onSilent told once, how long it did nothing.
 * @returns ends the watch.
 */
export function watchSilence(group: number, onSilent: (silentMs: number) => void): () => void {
  const one = { group, signal: findSignal(), onSilent, did: undefined, looks: 0 }
  watched.add(one)
  timer ??= setInterval(look, PATIENCE.lookMs).unref()
  return () => void watched.delete(one)
}

/**
 * Tells a group to end, and to go on, so that it can; then kills who of it does not.
 *
 * @returns to be called when its first process has ended: nobody is killed then if it was the last one.
 *   While any is left, no other group has the number.
 */
export function endGroup(group: number): () => void {
  send(group, "SIGTERM")
  send(group, "SIGCONT")
  const kill = setTimeout(() => send(group, "SIGKILL"), END_MS_MAX)
  return () => {
    if (!hasMembers(group)) clearTimeout(kill)
  }
}

function look(): void {
  if (watched.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  const activity = tryRead(new Set([...watched].map(({ group }) => group)))
  if (!activity) return
  for (const one of watched) {
    const did = activity.get(one.group)
    one.looks = did !== undefined && did === one.did ? one.looks + 1 : 0
    one.did = did
    const { looksMax, looksMaxUnwanted } = PATIENCE
    if (one.looks < (one.signal?.aborted ? looksMaxUnwanted : looksMax)) continue
    watched.delete(one)
    one.onSilent(one.looks * PATIENCE.lookMs)
  }
}

/** @returns undefined where nothing can be seen now: too many open files, say. */
function tryRead(groups: ReadonlySet<number>): Activity | undefined {
  try {
    return readActivity(groups)
  } catch {
    return undefined
  }
}

function hasMembers(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

/** Called only while we have not yet been told that all of it have ended, so the number is still its own. */
function send(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // It has ended this instant: some systems refuse signals to a group of zombies.
  }
}

/** A git did nothing for too long, or did not answer, and was ended; nobody knows how far it got. */
export class GitSilentError extends AppError {
  override readonly name = "GitSilentError"
  readonly code = "git.silent"
  readonly blame = "world"
  override readonly transient = true
  override readonly hints: readonly string[]

  constructor(command: string, folder: string, silentMs: number) {
    super(
      `git ${command} in ${folder} did nothing for ${Math.round(silentMs / 1000)} s, and was ended`,
    )
    this.hints = [
      `Look for a pipe in the place of one of its files there, and take it away: ${findPipes(folder)}`,
      "Look whether the disk answers, and whether somebody stops git.",
    ]
  }
}

function findPipes(folder: string): string {
  const quoted = placesOf(folder).map((place) => `'${place.replaceAll("'", "'\\''")}'`)
  return ["find", ...quoted, "-type", "p"].join(" ")
}

/** A linked worktree has its files of git elsewhere. */
function placesOf(folder: string): string[] {
  try {
    const gitDir = findGitDir(folder)
    const common = gitDir === undefined ? folder : commonDirOf(gitDir)
    return isInside(common, folder) ? [folder] : [folder, common]
  } catch {
    return [folder]
  }
}

const isInside = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)
