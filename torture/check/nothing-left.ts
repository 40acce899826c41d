/** Laws 7 and 10: no needless locks, worktrees, refs, files or processes are left. */
import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { findDaemonPid, listProcessesOf, type Running, readTree } from "../kill/processes.ts"
import { listLocks } from "../play/settle.ts"
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { FSCK, POOL_SIZE, type Scratch } from "../scratch.ts"

/** Deletions in the background yield to all other work, and take long on a loaded machine. */
const WAIT_MS_MAX = 60_000
/** A dead daemon's processes must be gone by then (law 10), even on a slow machine. */
const ORPHANS_MS_MAX = 8_000
const POLL_MS = 200
/** Worktrees that wait for their task. */
const POOLED = /^pool-\d+$/

/** One clone. The first user works in its main worktree. */
export type Clone = {
  readonly users: readonly [User, ...User[]]
  /** Coppice's own complaints to a person, for cases in which agents forged its records. */
  readonly excused: string
}

/** For a daemon that still runs, and deletes in the background. */
export async function untilNothingLeft(clones: readonly Clone[], signal: AbortSignal) {
  for (const endMs = performance.now() + WAIT_MS_MAX; performance.now() < endMs; ) {
    const left = await Promise.all(clones.map(listLeft))
    if (signal.aborted || left.flat().length === 0) return
    await delay(POLL_MS)
  }
}

/** Called when all users have put their own files away, and the daemon has ended. */
export async function checkNothingLeft(clone: Clone, report: Report): Promise<void> {
  const [first] = clone.users
  const left = await listLeft(clone)
  report.check("nothing is left lying about", 1, left)
  report.check("no lock is stuck", 1, listLocks(first.place.repo, 0))
  for (const user of clone.users) {
    const status = (await user.ask("git status --porcelain --untracked-files=all")) ?? "no status"
    const texts = status === "" ? [] : [`${user.place.checkout} differs from its commit: ${status}`]
    report.check("each checkout agrees with its commit", 1, texts)
  }
  const { output } = await first.type(FSCK)
  const { broken } = first.scratch
  const worse = output.split("\n").filter((line) => line !== "" && !broken.includes(line))
  report.check("the repository is whole", 1, worse)
}

/** For a fleet without a daemon. */
export async function checkNoOrphans(folder: string, report: Report): Promise<void> {
  report.check("no process is left running", 1, await untilEnded(() => listProcessesOf(folder)))
}

/** For a daemon whose tasks are all over: its agents and gates have ended with all they started. */
export async function checkNoSurvivors({ state, folder }: Scratch, report: Report): Promise<void> {
  const daemon = findDaemonPid(state)
  const list = () => (daemon === undefined ? [] : readTree(daemon, folder).others)
  report.check("no process outlives its agent or gate", 1, await untilEnded(list))
}

/** Waits as long as the law allows. @returns a text for each process that is still there. */
async function untilEnded(list: () => readonly Running[]): Promise<string[]> {
  const endMs = performance.now() + ORPHANS_MS_MAX
  while (list().length > 0 && performance.now() < endMs) await delay(POLL_MS)
  return list().map(({ pid, command }) => `process ${pid}: ${command}`)
}

async function listLeft({ users: [first, ...others], excused }: Clone): Promise<string[]> {
  const { repo, repoName } = first.place
  const { fleet, target } = first.scratch
  const all = [first, ...others]
  const refs = ((await first.ask("git for-each-ref --format='%(refname)'")) ?? "").split("\n")
  const isKnown = (ref: string) =>
    ref === `refs/heads/${target}` || /^refs\/(coppice\/rescue\/|stash$|heads\/user-)/.test(ref)
  const listed = (await first.ask("git worktree list --porcelain")) ?? ""
  const found = listed.split("\n\n").map((entry) => ({
    path: /^worktree (.*)$/m.exec(entry)?.[1] ?? "",
    isDetached: /^detached$/m.test(entry),
  }))
  const worktrees = found.map(({ path }) => path)
  const idle = found.filter(({ path, isDetached }) => isDetached && POOLED.test(basename(path)))
  const own = all.flatMap(({ place, worktrees }) => [place.checkout, ...worktrees])
  const known = [repo, ...own, ...idle.slice(0, POOL_SIZE).map(({ path }) => path)]
  const folders = globSync(`${repoName}.worktrees/{*,.*}`, { cwd: fleet })
  const left = [
    ...refs.filter((ref) => ref !== "" && !isKnown(ref)),
    ...worktrees.filter((path) => !known.includes(path)).map((path) => `the worktree ${path}`),
    ...folders
      .filter((path) => !worktrees.includes(join(fleet, path)))
      .map((path) => `the folder ${path}`),
  ]
  return left.filter((text) => !isExcused(text, excused))
}

/** A worktree that an agent has forged may stay, as long as Coppice says so. */
function isExcused(text: string, excused: string): boolean {
  const name = basename(text.split(" ").at(-1) ?? "")
  return name !== "" && excused.includes(name)
}
