/** `git rev-list`: the commits between two points of history, and what leads to them. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { type Commit, parseLinks, readObjects } from "./cat-file.ts"

/** The refs under which Coppice has saved commits of tasks. */
const SAVED = "--glob=refs/coppice/rescue/"

export type ListedCommit = Commit & {
  /** The commit has the tree of its first parent, which is listed too. */
  readonly isEmpty: boolean
}

/**
 * The commits of `to` that are not in `from`, oldest first, parents before children.
 *
 * @param listed their ids, if git has listed them already.
 */
export async function listCommits(
  cwd: string,
  from: Oid,
  to: Oid,
  listed?: readonly Oid[],
): Promise<ListedCommit[]> {
  const oids = listed ?? (await listOids(cwd, from, to))
  if (oids.length === 0) return []
  // `rev-list --header` would do with one process, but it indents and re-encodes messages.
  const known = [from, ...oids]
  const raws = await readObjects(cwd, known)
  const commits = raws.map((raw, n) => parseLinks(known[n]!, raw))
  const trees = new Map(commits.map(({ oid, tree }) => [oid, tree]))
  return commits
    .slice(1)
    .map((commit) => ({ ...commit, isEmpty: trees.get(commit.parents[0]!) === commit.tree }))
}

async function listOids(cwd: string, from: Oid, to: Oid): Promise<Oid[]> {
  const args = ["rev-list", "--reverse", "--topo-order", to, `^${from}`]
  return (await git(cwd, args)).stdout.split("\n").filter(Boolean) as Oid[]
}

/** Whether each of `commits` is in the history of one of `safe`, or was saved. */
export async function areAllKept(
  cwd: string,
  commits: readonly Oid[],
  safe: readonly Oid[],
): Promise<boolean> {
  if (commits.length === 0) return true
  const stdin = [...commits, ...safe.map((oid) => `^${oid}`), ""].join("\n")
  const args = ["rev-list", "--max-count=1", "--stdin", "--not", SAVED]
  return (await git(cwd, args, { stdin })).stdout === ""
}

export async function countCommits(
  cwd: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<number> {
  return Number((await git(cwd, ["rev-list", "--count", to, `^${from}`])).stdout)
}

const OTHERS = ["--not", "--branches", "--remotes", "--tags", SAVED]

/**
 * Commits of `tips` and their histories that `safe`, branches, tags and rescue refs do not contain,
 * with their parents. Skips tips that no longer exist.
 *
 * @throws {OutputTooLongError}
 */
export async function listLost(
  cwd: string,
  tips: readonly Oid[],
  safe: readonly Oid[],
  outputBytesMax?: number,
): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const stdin = [...tips, ...safe.map((oid) => `^${oid}`), ""].join("\n")
  const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", ...OTHERS]
  const { stdout } = await git(cwd, args, { stdin, outputBytesMax })
  const lines = stdout.split("\n").filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [oid, ...parents] = line.split(" ") as [Oid, ...Oid[]]
      return [oid, parents]
    }),
  )
}

/** Looks at HEAD and every ref but tags. In doubt, e.g. after a shallow fetch, true. */
export async function hasUnpushed(cwd: string): Promise<boolean> {
  const mine = ["--exclude=refs/tags/*", "--exclude=refs/remotes/*", "--all"]
  const args = ["rev-list", "--max-count=1", ...mine, "--not", "--remotes", "--tags"]
  return (await git(cwd, args)).stdout !== ""
}

/**
 * Checks whether a repository has a commit, and whether a remote is known to have it too.
 *
 * @param gitDir of a submodule, which need not have files.
 */
export async function lookAtCommit(
  gitDir: string,
  commit: Oid,
): Promise<"pushed" | "unpushed" | "absent"> {
  const args = ["rev-list", "--max-count=1", commit, "--not", "--remotes", "--tags"]
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: gitDir }
  const { exitCode, stdout } = await git(gitDir, args, { answers: [0, 128], env })
  if (exitCode !== 0) return "absent"
  return stdout === "" ? "pushed" : "unpushed"
}
