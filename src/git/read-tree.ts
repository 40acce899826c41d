/**
 * `git read-tree`: takes a checkout from one commit to another, without moving HEAD.
 *
 * git guards what is modified or untracked, but overwrites ignored files: look for those first.
 * All of these run in the worktree that they are about.
 */
import type { Oid } from "../core/ids.ts"
import { GitError } from "./errors.ts"
import { git } from "./exec.ts"
import { gitOnIndex } from "./index-lock.ts"

export type TreeMove = { readonly from: Oid; readonly to: Oid }
export type TreeRead =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly stderr: string }
  | { readonly kind: "locked" }
/** `onPid` is told git's process id as soon as it runs. */
export type TreeOptions = { readonly onPid?: (pid: number) => void }

/** Whether {@link readTree} would go through now; changes nothing. False also while locked. */
export async function tryReadTree(cwd: string, { from, to }: TreeMove): Promise<boolean> {
  const args = ["read-tree", "-n", "-m", "-u", from, to]
  return (await git(cwd, args, { answers: [0, 128] })).exitCode === 0
}

/**
 * Takes index and files from one tree to another, keeping local edits elsewhere.
 *
 * @returns `refused` when that would overwrite something, or when git failed half-way (disk full).
 */
export async function readTree(
  cwd: string,
  { from, to }: TreeMove,
  options: TreeOptions = {},
): Promise<TreeRead> {
  const args = ["read-tree", "-m", "-u", from, to]
  try {
    const result = await gitOnIndex(cwd, args, options)
    return { kind: "kind" in result ? "locked" : "done" }
  } catch (error) {
    if (error instanceof GitError && error.result.exitCode === 128)
      return { kind: "refused", stderr: error.result.stderr }
    throw error
  }
}

/** Makes index and files those of `to`, whatever is there; keeps untracked files that `to` lacks. */
export async function resetTree(
  cwd: string,
  to: Oid,
  options: TreeOptions = {},
): Promise<{ readonly kind: "done" } | { readonly kind: "locked" }> {
  const result = await gitOnIndex(cwd, ["read-tree", "--reset", "-u", to], options)
  return { kind: "kind" in result ? "locked" : "done" }
}
