/** `git log`: commits as one line each, for people. */
import type { GitPath, Oid } from "../core/ids.ts"
import { git, stdoutText } from "./exec.ts"
import { pathspec } from "./pathspec.ts"

export type SubjectQuery = {
  readonly from: Oid
  readonly to: Oid
  /** Only commits that touch one of these. */
  readonly paths: readonly GitPath[]
  readonly limit: number
}

/** `<abbreviated id> <subject>` of the commits of `to` that are not in `from`, newest first. */
export async function listSubjects(
  cwd: string,
  { from, to, paths, limit }: SubjectQuery,
): Promise<string[]> {
  const args = ["log", "--no-show-signature", "--format=%h %s", `--max-count=${limit}`]
  const range = [to, `^${from}`, "--", ...paths.map(pathspec)]
  return stdoutText(await git(cwd, [...args, ...range]))
    .split("\n")
    .filter(Boolean)
}
