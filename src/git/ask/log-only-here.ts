/** `git log`: commits that no branch and no tag has. */
import type { Oid } from "../../core/ids.ts"
import { git, stdoutText } from "../start/exec.ts"

const ARGS = ["log", "--no-show-signature", "--format=%h %s"]

/**
 * `<abbreviated id> <subject>` of commits that only `tips` lead to, newest first, at most `limit`.
 */
export async function listOnlyHere(
  cwd: string,
  tips: readonly Oid[],
  limit: number,
): Promise<string[]> {
  const others = ["--not", "--branches", "--remotes", "--tags"]
  const result = await git(cwd, [...ARGS, `--max-count=${limit}`, ...tips, ...others, "--"])
  return stdoutText(result).split("\n").filter(Boolean)
}
