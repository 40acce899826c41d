/** `git cherry`: whether a history has each change of another one, if under other ids. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

/** More commits than a task makes; comparing more takes long. */
const COMMITS_MAX = 500

/** Whether `target` has the change of every commit that only `commit` leads to. False in doubt. */
export async function hasEachChange(cwd: string, target: Oid, commit: Oid): Promise<boolean> {
  const range = ["rev-list", "--count", `--max-count=${COMMITS_MAX + 1}`, `${target}..${commit}`]
  if (Number((await git(cwd, range)).stdout) > COMMITS_MAX) return false
  // A merge has no one change of its own, so it is passed over, with whatever was resolved in it.
  const merges = await git(cwd, ["rev-list", "--merges", "--max-count=1", `${target}..${commit}`])
  if (merges.stdout !== "") return false
  const { exitCode, stdout } = await git(cwd, ["cherry", target, commit], { answers: [0, 128] })
  const lines = stdout.split("\n").filter(Boolean)
  return exitCode === 0 && lines.every((line) => line.startsWith("-"))
}
