/** What the worktrees of a repository have checked out, read from their HEAD files as git does. */
import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs"
import { join } from "node:path"
import type { RefName } from "../../core/ids.ts"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir, unlessNowhere } from "../worktrees/git-dir.ts"

/** Folders of a rebase, which detaches HEAD and remembers the branch. */
const REBASES = ["rebase-merge", "rebase-apply"]
/** A bisect likewise. */
const BISECT = "BISECT_START"

/**
 * Whether a branch is for certain checked out nowhere, nor being rebased or bisected anywhere. In a
 * thousandth of the time that `git worktree list` takes.
 *
 * @returns false where it is, or may be: then ask git.
 * @throws {UnreadableFileError} where git would wait for ever too.
 */
export function isNowhere(cwd: string, ref: RefName): boolean {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return false
  const common = commonDirOf(gitDir)
  const linked = join(common, "worktrees")
  try {
    const ids = existsSync(linked) ? readdirSync(linked) : []
    const dirs = [common, ...ids.map((id) => join(linked, id))]
    return dirs.every((dir) => isElsewhere(dir, common, ref))
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error
    return false // somebody is adding or removing a worktree this instant
  }
}

function isElsewhere(dir: string, common: string, ref: RefName): boolean {
  if ([...REBASES, BISECT].some((name) => existsSync(join(dir, name)))) return false
  const head = join(dir, "HEAD")
  if (lstatSync(head).isSymbolicLink()) return false
  const text = readPlainText(head, "latin1")?.trim() ?? ""
  if (/^[0-9a-f]{40,64}$/.test(text)) return true
  const named = /^ref:\s*(refs\/.+)$/.exec(text)?.[1]
  // With refs in tables, HEAD is there too, and this file names what cannot be.
  if (named === undefined || named === "refs/heads/.invalid") return false
  if (!named.startsWith("refs/heads/")) return false // it can be the worktree's own, and symbolic
  const name = Buffer.from(named, "latin1").toString("utf8")
  return name !== ref && !isSymbolic(join(common, name))
}

/** Whether the file of a ref stands for another ref: then it is always a file of its own, or a link. */
export function isSymbolic(file: string): boolean {
  const found = lookAt(file)
  if (!found || found.isDirectory()) return false
  return found.isSymbolicLink() || (readPlainText(file, "latin1")?.startsWith("ref:") ?? false)
}

/** Undefined where there is none, or none can be: a file is where its folder would be. */
const lookAt = (file: string): Stats | undefined =>
  unlessNowhere(() => lstatSync(file, { throwIfNoEntry: false }))
