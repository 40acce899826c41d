/** `git config` of `.gitmodules`: the submodules of a commit or a worktree. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"

/** By path, raw bytes. A name is where git keeps the submodule's repository: `modules/<name>`. */
export async function readSubmoduleNames(cwd: string, commit: Oid): Promise<Map<string, string>> {
  const args = ["config", "--blob", `${commit}:.gitmodules`, "--null", "--get-regexp", PATHS]
  const { stdout } = await git(cwd, args, { answers: [0, 1, 128] })
  const entries = splitZ(stdout).flatMap((entry): [string, string][] => {
    const [, name, path] = ENTRY.exec(entry) ?? []
    return name !== undefined && path !== undefined && isSafe(name) ? [[path, name]] : []
  })
  return new Map(entries)
}

const PATHS = "^submodule\\..*\\.path$"
const ENTRY = /^submodule\.(.*)\.path\n(.*)$/s

/** Git refuses a name that leads out of its place; so do we. */
const isSafe = (name: string): boolean => !name.split("/").includes("..") && !name.startsWith("/")

/** Paths from the root, as the file has them. They need not be safe to follow. */
export async function listSubmodules(worktree: string): Promise<GitPath[]> {
  const where = ["--file", ".gitmodules", "--no-includes"]
  const args = ["config", ...where, "--null", "--get-regexp", PATHS]
  // 1: there is none; 128: git cannot read the file.
  const { stdout } = await git(worktree, args, { answers: [0, 1, 128] })
  return splitZ(stdout).map((entry) => entry.slice(entry.indexOf("\n") + 1) as GitPath)
}
