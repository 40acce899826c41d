/** `git switch`, in a worktree that no task has yet, or after a gate. Files with local changes are never overwritten. */
import type { Oid } from "../../../base/ids.ts"
import { trueModes } from "../ask/true-modes.ts"
import { git } from "../start/exec.ts"

const WHOLE = { "core.sparseCheckout": "false" }
/** 1 and 128: something is in the way. */
const ANSWERS = [0, 1, 128]

/** Moves HEAD, index and files to a commit. @returns whether they are there. */
export async function switchDetached(cwd: string, commit: Oid): Promise<boolean> {
  const settings = { ...(await trueModes(cwd)), ...WHOLE }
  const args = ["switch", "--quiet", "--detach", commit]
  return (await git(cwd, args, { answers: ANSWERS, settings })).exitCode === 0
}

/** Attaches HEAD to a branch at the same commit; no file changes. @returns whether it is there. */
export async function switchTo(cwd: string, branch: string): Promise<boolean> {
  const settings = { ...(await trueModes(cwd)), ...WHOLE }
  const args = ["switch", "--quiet", "--no-guess", branch]
  return (await git(cwd, args, { answers: ANSWERS, settings })).exitCode === 0
}

/**
 * Makes a branch at HEAD, and attaches HEAD to it, without reading files.
 *
 * @returns whether the branch was made; false also if it exists already.
 */
export async function switchToNew(cwd: string, branch: string): Promise<boolean> {
  const args = ["switch", "--quiet", "--no-track", "--create", branch]
  return (await git(cwd, args, { answers: ANSWERS })).exitCode === 0
}
