/** `git config` of `.gitmodules`: where a worktree's submodules belong. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

/** Paths from the root, as the file has them. They need not be safe to follow. */
export async function listSubmodules(worktree: string): Promise<GitPath[]> {
  const wanted = ["--null", "--get-regexp", "^submodule\\..*\\.path$"]
  const args = ["config", "--file", ".gitmodules", "--no-includes", ...wanted]
  // 1: there is none; 128: git cannot read the file.
  const { stdout } = await git(worktree, args, { answers: [0, 1, 128] })
  return splitZ(stdout).map((entry) => entry.slice(entry.indexOf("\n") + 1) as GitPath)
}
