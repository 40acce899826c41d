/** `git worktree list`: every worktree of a repository, the main one first. */
import { join } from "node:path"
import type { Oid, RefName } from "../../../base/ids.ts"
import { git, stdoutText } from "../start/exec.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { findCalledBare } from "./called-bare.ts"
import { readHead } from "./head.ts"
import { assertReadable, listLinked } from "./linked-worktrees.ts"
import { gitDir } from "./rev-parse.ts"

export type Worktree = {
  readonly path: string
  /** Undefined while the branch has no commit, and for a bare repository. */
  readonly head: Oid | undefined
  /** Undefined when detached; also while its branch is being rebased, see operation-in-progress.ts. */
  readonly branch: RefName | undefined
  readonly bare: boolean
  /** Git calls this main worktree bare, but its files are here: see called-bare.ts. */
  readonly calledBare?: true
  readonly detached: boolean
  /** Why it is locked, perhaps empty; undefined when it is not. */
  readonly locked: string | undefined
  /** The worktree's folder is gone. */
  readonly prunable: boolean
  /** The worktree's own git directory; undefined while another process adds or removes it. */
  readonly gitDir: string | undefined
}

/** If one of these is a pipe, git hangs. So we check first, and name the file. */
const READ_BY_GIT = ["HEAD", "config", "packed-refs"]

/** @throws {UnreadableFileError} */
export async function listWorktrees(cwd: string): Promise<Worktree[]> {
  const own = await gitDir(cwd)
  const commonDir = commonDirOf(own)
  for (const name of READ_BY_GIT) assertReadable(join(commonDir, name))
  const gitDirs = new Map(listLinked(commonDir).map(({ path, gitDir }) => [path, gitDir]))
  const listed = await git(cwd, ["worktree", "list", "--porcelain", "-z"])
  const records = stdoutText(listed).split("\0\0").filter(Boolean)
  const [main, ...linked] = records.map(parseRecord)
  if (main === undefined) return []
  const path = mainPath(main, { cwd, own, commonDir })
  return [
    { ...main, path, ...(main.bare && (await calledBare(cwd, commonDir))), gitDir: commonDir },
    ...linked.map((facts) => ({ ...facts, gitDir: gitDirs.get(facts.path) })),
  ]
}

async function calledBare(cwd: string, commonDir: string): Promise<Partial<Worktree>> {
  const path = await findCalledBare(cwd, commonDir)
  if (path === undefined) return {}
  const head = await readHead(commonDir)
  const at = head.kind === "branch" ? { branch: head.ref } : { detached: true }
  return { path, head: head.commit, bare: false, calledBare: true, ...at }
}

/**
 * If the main worktree's git directory lies elsewhere (`--separate-git-dir`, or `.git` is a link),
 * git lists that directory instead. Only a call from inside the worktree knows its path.
 */
function mainPath(
  { path, bare }: Pick<Worktree, "path" | "bare">,
  { cwd, own, commonDir }: { cwd: string; own: string; commonDir: string },
): string {
  const isElsewhere = !bare && own === commonDir && findGitDir(path) !== commonDir
  return isElsewhere && findGitDir(cwd) === commonDir ? cwd : path
}

function parseRecord(record: string): Omit<Worktree, "gitDir"> {
  const facts = new Map(
    record.split("\0").map((line) => {
      const end = line.indexOf(" ")
      return end < 0 ? [line, ""] : [line.slice(0, end), line.slice(end + 1)]
    }),
  )
  const head = facts.get("HEAD")
  return {
    path: facts.get("worktree") ?? "",
    head: head === undefined || /^0+$/.test(head) ? undefined : (head as Oid),
    branch: facts.get("branch") as RefName | undefined,
    bare: facts.has("bare"),
    detached: facts.has("detached"),
    locked: facts.get("locked"),
    prunable: facts.has("prunable"),
  }
}
