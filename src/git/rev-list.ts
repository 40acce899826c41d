/** `git rev-list`: the commits between two points of history. */
import type { Oid } from "../core/ids.ts"
import { readObjects } from "./cat-file.ts"
import { git } from "./exec.ts"

export type ListedCommit = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** Its tree is its parent's. Told of linear histories; in others false where it cannot be seen. */
  readonly isEmpty: boolean
  /** The whole commit object, one char per raw byte. */
  readonly raw: string
}

/** The commits of `to` that are not in `from`, oldest first, parents before children. */
export async function listCommits(cwd: string, from: Oid, to: Oid): Promise<ListedCommit[]> {
  const args = ["rev-list", "--reverse", "--topo-order", to, `^${from}`]
  const oids = (await git(cwd, args)).stdout.split("\n").filter(Boolean) as Oid[]
  if (oids.length === 0) return []
  // `rev-list --header` would do with one process, but it indents and re-encodes messages.
  const known = [from, ...oids]
  const objects = await readObjects(cwd, known)
  const commits = objects.map((raw, n) => ({ oid: known[n]!, ...links(raw), raw }))
  const trees = new Map(commits.map(({ oid, tree }) => [oid, tree]))
  return commits
    .slice(1)
    .map((commit) => ({ ...commit, isEmpty: trees.get(commit.parents[0]!) === commit.tree }))
}

function links(raw: string): { tree: Oid; parents: Oid[] } {
  const [tree = "", ...rest] = raw.slice(0, raw.indexOf("\n\n")).split("\n")
  const parents = rest.filter((line) => line.startsWith("parent "))
  return {
    tree: tree.slice("tree ".length) as Oid,
    parents: parents.map((line) => line.slice("parent ".length) as Oid),
  }
}
