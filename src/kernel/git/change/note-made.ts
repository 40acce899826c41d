/** `git update-index --info-only`: notes files that are not work, see made-files.ts. */
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { copyIndex } from "../ask/index-file.ts"
import { MADE_FILE } from "../ask/made-files.ts"
import { gitDir } from "../ask/rev-parse.ts"
import { assertOwnGitDir } from "../ask/worktree-of.ts"
import { listPathsBehindLinks } from "../start/behind-links.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"

/** Adds these files to the note as they are now. Runs in the worktree's root. */
export async function noteMade(cwd: string, paths: readonly GitPath[]): Promise<void> {
  if (paths.length === 0) return
  assertOwnGitDir(cwd)
  const file = join(await gitDir(cwd), MADE_FILE)
  const next = `${file}.next`
  for (const left of [next, `${next}.lock`]) rmSync(left, { force: true }) // left by a killed process
  await copyIndex(file, next)
  const args = ["update-index", "--info-only", "--add", "--remove", "--replace", "-z", "--stdin"]
  const behind = new Set(listPathsBehindLinks(cwd, paths))
  const there = paths.filter((path) => !behind.has(path))
  const stdin = Buffer.from(there.map((path) => `${path}\0`).join(""), "latin1")
  await git(cwd, args, { stdin, env: indexEnv(next) })
  if (existsSync(next)) renameSync(next, file)
}
