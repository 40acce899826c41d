/** Reads from HEAD files, like git, which branches a repository's worktrees have checked out. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { RefName } from "../../../base/ids.ts"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { isSymbolic } from "./ref-files.ts"

/** Files and folders of a rebase or bisect, which detaches HEAD and remembers the branch. */
const IN_PROGRESS: ReadonlySet<string> = new Set(["rebase-merge", "rebase-apply", "BISECT_START"])

/**
 * Whether no worktree has the branch checked out, or is rebasing or bisecting it. Takes a
 * thousandth of the time of `git worktree list`.
 *
 * @returns false also when unsure; then ask git.
 * @throws {UnreadableFileError} if git would hang too.
 */
export function isCheckedOutNowhere(cwd: string, ref: RefName): boolean {
  return isInEach(cwd, (dir, common) => isElsewhere(dir, common, ref))
}

/**
 * The same for a branch that does not exist: a HEAD can name it all the same. Reads HEAD alone where
 * that is on a branch. So it does not see that HEAD names a symbolic branch that stands for this one.
 */
export function isUnbornNowhere(cwd: string, ref: RefName): boolean {
  return isInEach(cwd, (dir) => {
    const head = readHeadFile(dir)
    if (head === "detached") return !readdirSync(dir).some((name) => IN_PROGRESS.has(name))
    return head !== "unusual" && head.branch !== ref
  })
}

/** Whether the check is true of the main worktree's git directory, and of each linked one's. */
function isInEach(cwd: string, check: (dir: string, common: string) => boolean): boolean {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return false
  const common = commonDirOf(gitDir)
  const linked = join(common, "worktrees")
  try {
    const ids = existsSync(linked) ? readdirSync(linked) : []
    return [common, ...ids.map((id) => `${linked}/${id}`)].every((dir) => check(dir, common))
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error
    return false // another process is adding or removing a worktree right now
  }
}

function isElsewhere(dir: string, common: string, ref: RefName): boolean {
  const entries = readdirSync(dir, { withFileTypes: true }) // cheaper than a look at each name
  if (entries.some(({ name }) => IN_PROGRESS.has(name))) return false
  if (entries.some((entry) => entry.name === "HEAD" && entry.isSymbolicLink())) return false
  const head = readHeadFile(dir)
  if (head === "detached") return true
  if (head === "unusual") return false
  return head.branch !== ref && !isSymbolic(`${common}/${head.branch}`)
}

function readHeadFile(dir: string): "detached" | "unusual" | { readonly branch: string } {
  const text = readPlainText(`${dir}/HEAD`, "latin1")?.trim() ?? ""
  if (/^[0-9a-f]{40,64}$/.test(text)) return "detached"
  const named = /^ref:\s*(refs\/heads\/.+)$/.exec(text)?.[1] // another ref can be the worktree's own, and symbolic
  // With refs in tables this file names an impossible branch; HEAD is in the table.
  if (named === undefined || named === "refs/heads/.invalid") return "unusual"
  return { branch: Buffer.from(named, "latin1").toString("utf8") }
}
