/** `git rev-list`: the commits between two points of history. */
import type { Oid } from "../core/ids.ts"
import { readObjects } from "./cat-file.ts"
import { git } from "./exec.ts"

export type ListedCommit = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** The whole commit object, one char per raw byte. */
  readonly raw: string
}

/** The commits of `to` that are not in `from`, oldest first, parents before children. */
export async function listCommits(cwd: string, from: Oid, to: Oid): Promise<ListedCommit[]> {
  const args = ["rev-list", "--reverse", "--topo-order", to, `^${from}`]
  const oids = (await git(cwd, args)).stdout.split("\n").filter(Boolean) as Oid[]
  if (oids.length === 0) return []
  // `rev-list --header` would do with one process, but it indents and re-encodes messages.
  const objects = await readObjects(cwd, oids)
  return objects.map((raw, n) => ({ oid: oids[n]!, ...links(raw), raw }))
}

/** How many commits of `to` are not in `from`. */
export async function countCommits(cwd: string, from: Oid, to: Oid): Promise<number> {
  return Number((await git(cwd, ["rev-list", "--count", to, `^${from}`])).stdout)
}

function links(raw: string): { tree: Oid; parents: Oid[] } {
  const [tree = "", ...rest] = raw.slice(0, raw.indexOf("\n\n")).split("\n")
  const parents = rest.filter((line) => line.startsWith("parent "))
  return {
    tree: tree.slice("tree ".length) as Oid,
    parents: parents.map((line) => line.slice("parent ".length) as Oid),
  }
}
