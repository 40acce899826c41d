/**
 * Tells a gate's commits from those of a person who works in the same worktree while the gate runs.
 *
 * In that worktree alone, git takes the committer of a gate's commits from a file of ours, which
 * `includeIf` names. So a test that makes repositories sees nothing of it. Nor do reflogs, whose
 * messages `git checkout -` reads.
 */
import { join } from "node:path"
import type { Oid } from "../../../base/ids.ts"
import { listCommitters } from "../../git/ask/log.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { writeWhole } from "../../process/plain-file.ts"
import { readSinceStart } from "./gate-start.ts"

/** No person has this name. */
const COMMITTER = "A gate of Coppice"
const FILE = "coppice-gate"
/** A key that is found by the committer's name would be missing. */
const SETTINGS = `[committer]\n\tname = ${COMMITTER}\n[commit]\n\tgpgSign = false\n`

type Variables = Readonly<Record<string, string>>

/** The variables of a gate that runs in a task's worktree. */
export function markCommits(worktree: string, env: Variables): Variables {
  const dir = findGitDir(worktree)
  if (dir === undefined) return env
  const file = join(dir, FILE)
  writeWhole(file, SETTINGS)
  const { GIT_CONFIG_COUNT = "0", GIT_COMMITTER_NAME } = env
  const only = dir.replace(/[*?[\]\\]/g, "\\$&")
  return {
    ...env,
    ...(GIT_COMMITTER_NAME !== undefined && { GIT_COMMITTER_NAME: COMMITTER }), // wins over the file
    GIT_CONFIG_COUNT: String(Number(GIT_CONFIG_COUNT) + 1),
    [`GIT_CONFIG_KEY_${GIT_CONFIG_COUNT}`]: `includeIf.gitdir:${only}.path`,
    [`GIT_CONFIG_VALUE_${GIT_CONFIG_COUNT}`]: file,
  }
}

export type Made = { readonly oid: Oid; readonly isOfGate: boolean }

/**
 * Commits of `tip` that the candidate lacks, newest first. Those that other refs had before the gate
 * count only if they hold the candidate: a gate may go to them. A ref of now proves nothing: a person
 * may have pushed the commit, or put a branch or tag on it.
 */
export async function listMadeSince(worktree: string, tip: Oid, candidate: Oid): Promise<Made[]> {
  const except = readSinceStart(worktree).refs
  const onTop = await listCommitters(worktree, tip, { from: candidate, isOnTop: true })
  const known = new Set(onTop.map(({ oid }) => oid))
  const others = await listCommitters(worktree, tip, { from: candidate, except })
  const made = [...onTop, ...others.filter(({ oid }) => !known.has(oid))]
  return made.map(({ oid, committer }) => ({ oid, isOfGate: committer === COMMITTER }))
}

/** Whether a gate was the last to move HEAD since it began. A log that is switched off tells nothing. */
export const hasGateMovedHead = (worktree: string): boolean =>
  readSinceStart(worktree).move.includes(` ${COMMITTER} <`)
