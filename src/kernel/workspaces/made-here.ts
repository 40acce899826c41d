/**
 * Distinguishes a worktree that Coppice added from one that a person added later at the same path.
 *
 * The file is in git's own folder of the worktree, so it moves with the worktree and is removed with
 * it. It proves nothing alone: the store must have recorded the path as well (removal.ts). To restore
 * a lost worktree, a person checks out the branch that was made for it.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { branchRef } from "../../base/ids.ts"
import { readPlainText, writeWhole } from "../process/plain-file.ts"

const FILE = "coppice-made-here"

/** @param dir git's own folder of a worktree that was added this instant. */
export function markMade(dir: string): void {
  writeWhole(join(dir, FILE), "")
}

type Made = { readonly path: string; readonly branch: string | null }

/** Also where git was killed before there was anything in it. */
export function isMadeHere(dir: string, { path, branch }: Made): boolean {
  if (existsSync(join(dir, FILE))) return true
  if (
    branch !== null &&
    readPlainText(join(dir, "HEAD"))?.trimEnd() === `ref: ${branchRef(branch)}`
  )
    return true
  return !existsSync(join(dir, "index")) && readdirSync(path).every((name) => name === ".git")
}
