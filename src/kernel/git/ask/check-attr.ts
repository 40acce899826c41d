/** `git check-attr`: what a worktree's attributes say of paths. */
import type { GitPath } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"

/** The value of one attribute for each path; `unspecified`, `set` and `unset` are values too. */
export async function readAttribute(
  cwd: string,
  name: string,
  paths: readonly GitPath[],
): Promise<string[]> {
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  const { stdout } = await git(cwd, ["check-attr", "-z", "--stdin", name], { stdin })
  return splitZ(stdout).filter((_, at) => at % 3 === 2)
}
