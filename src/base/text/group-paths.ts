/** Shortens a list of paths to the folders that hold them, for use in a sentence. Pure. */

export type PathGroup = { readonly path: string; readonly count: number }

/** One group for each entry of the root: its deepest folder that holds all of them. Largest first. */
export function groupPaths(paths: readonly string[]): PathGroup[] {
  const byRoot = new Map<string, string[]>()
  for (const path of paths) {
    const [root = ""] = path.split("/", 1)
    const group = byRoot.get(root)
    if (group) group.push(path)
    else byRoot.set(root, [path])
  }
  const groups = [...byRoot.values()].map((some) => ({
    path: some.reduce(commonFolder),
    count: some.length,
  }))
  return groups.sort((a, b) => b.count - a.count)
}

function commonFolder(one: string, other: string): string {
  const [a, b] = [one.split("/"), other.split("/")]
  const parts = a.findIndex((part, n) => part !== b[n])
  return parts < 0 ? one : a.slice(0, parts).join("/")
}

/** Enough to recognise what is meant, in one sentence. The rest is counted. */
const NAMED_MAX = 5

/** `a, b and 7 more`: the first `max`. @param inAll if `names` are not all of them. */
export function nameSome(names: readonly string[], max = NAMED_MAX, inAll = names.length): string {
  const named = names.slice(0, max)
  const more = inAll - named.length
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ")
}

/** `766 files in .venv, generated.lock`: the first `max` groups. */
export function describePaths(paths: readonly string[], max = 3): string {
  const groups = groupPaths(paths)
  const named = groups
    .slice(0, max)
    .map(({ path, count }) => (count === 1 ? path : `${count} files in ${path}`))
  const rest = groups.slice(max).reduce((sum, { count }) => sum + count, 0)
  return nameSome(named, max, named.length + rest)
}
