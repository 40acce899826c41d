/**
 * Finds trees that git could not check out, before they reach the target. Git moves a target that
 * is checked out nowhere without checking its tree.
 *
 * We compare each commit with its first parent, and a merge with a parent that the target has, and
 * read only the differences. Commits in between count too, because other repositories would refuse
 * to fetch their history.
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { type Links, readTreeContents } from "../../git/ask/cat-file.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { Made } from "./replay.ts"
import { lookAtTree } from "./tree-fitness.ts"

/** In a longer history we check only the last tree. */
const COMMITS_MAX = 500
/** Pairs of trees; other work runs in between. */
const READ_AT_ONCE = 32

/** `before` is undefined where there is no such folder. */
type Pair = { readonly prefix: string; readonly before: Oid | undefined; readonly after: Oid }

/** @returns why it must not land. */
export async function findUnfit(
  repo: string,
  { target, candidate, commits }: Made & { readonly target: Oid },
): Promise<string | undefined> {
  const isLong = commits.length > COMMITS_MAX
  const open = isLong ? await endsOf(repo, target, candidate) : await listPairs(repo, commits)
  for (let some = next(open); some.length > 0; some = next(open)) {
    const raws = await readAll(repo, some)
    for (const pair of some) {
      const found = look(pair, raws)
      if (typeof found === "string") return found
      open.push(...found)
    }
  }
  return undefined
}

const next = (open: Pair[]): Pair[] => open.splice(0, READ_AT_ONCE)

async function endsOf(repo: string, target: Oid, candidate: Oid): Promise<Pair[]> {
  const [before, after] = (await readTrees(repo, [target, candidate])) as [Oid, Oid]
  return [{ prefix: "", before, after }]
}

async function listPairs(repo: string, commits: readonly Links[]): Promise<Pair[]> {
  const trees = new Map(commits.map(({ oid, tree }) => [oid, tree]))
  const isOutside = (oid: Oid) => !trees.has(oid)
  const pairs = commits.map(({ tree, parents }) => {
    return { parent: parents.find(isOutside) ?? parents[0], after: tree }
  })
  const outside = [...new Set(pairs.flatMap(({ parent }) => parent ?? []).filter(isOutside))]
  const found = await readTrees(repo, outside)
  for (const [n, oid] of outside.entries()) trees.set(oid, found[n] as Oid)
  return pairs.map(({ parent, after }) => {
    return { prefix: "", before: parent && trees.get(parent), after }
  })
}

/** @returns why it is unfit, or the folders in it that need a check too. */
function look(
  { prefix, before, after }: Pair,
  raws: ReadonlyMap<Oid, string | undefined>,
): string | Pair[] {
  const raw = raws.get(after)
  if (raw === undefined) return told(prefix, "that folder's object is not there")
  const found = lookAtTree((before && raws.get(before)) ?? "", raw, after.length / 2)
  if (found.kind === "unfit") return told(`${prefix}${found.name}`, found.why)
  return found.folders.map(({ name, ...ids }) => ({ prefix: `${prefix}${name}/`, ...ids }))
}

async function readAll(repo: string, pairs: readonly Pair[]) {
  const oids = [...new Set(pairs.flatMap(({ before, after }) => [before ?? after, after]))]
  const contents = await readTreeContents(repo, oids)
  return new Map(oids.map((oid, n) => [oid, contents[n]]))
}

function told(path: string, why: string): string {
  return `git could not check out the work at ${displayPath((path || "/") as GitPath)}: ${why}`
}
