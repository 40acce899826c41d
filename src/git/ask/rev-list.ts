/** `git rev-list`: the commits between two points of history. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { readObjects } from "./cat-file.ts"
import { type Commit, parseLinks } from "./commits.ts"

export type ListedCommit = Commit & {
  /** Its tree is that of its first parent, if that is listed too. */
  readonly isEmpty: boolean
}

/** The commits of `to` that are not in `from`, oldest first, parents before children. */
export async function listCommits(cwd: string, from: Oid, to: Oid): Promise<ListedCommit[]> {
  const commits = await listWithFirst(cwd, from, to)
  const trees = new Map(commits.map(({ oid, tree }) => [oid, tree]))
  return commits
    .slice(1)
    .map((commit) => ({ ...commit, isEmpty: trees.get(commit.parents[0]!) === commit.tree }))
}

/** The same, after `from` itself. */
async function listWithFirst(cwd: string, from: Oid, to: Oid): Promise<readonly Commit[]> {
  const args = ["rev-list", "--reverse", "--topo-order", to, `^${from}`]
  const oids = (await git(cwd, args)).stdout.split("\n").filter(Boolean) as Oid[]
  if (oids.length === 0) return []
  // `rev-list --header` would do with one process, but it indents and re-encodes messages.
  const known = [from, ...oids]
  const raws = await readObjects(cwd, known)
  return raws.map((raw, n) => parseLinks(known[n]!, raw))
}
