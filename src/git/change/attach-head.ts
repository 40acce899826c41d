/** `git symbolic-ref HEAD`: names a branch in a worktree's HEAD, and leaves index and files as they are. */
import type { RefName } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** @returns false if git refuses, as while another git holds the lock of HEAD. */
export async function attachHead(cwd: string, ref: RefName, reason: string): Promise<boolean> {
  const args = ["symbolic-ref", "-m", reason, "HEAD", ref]
  return (await git(cwd, args, { answers: [0, 1, 128] })).exitCode === 0
}
