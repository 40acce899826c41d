/**
 * Which of some files each commit of either side has changed, told by the git that stays: one of its own
 * for that would run beside the merge, and both would take longer.
 */
import type { GitPath, Oid } from "../../core/ids.ts"
import { findLine } from "../../git/history/linear-history.ts"
import type { Commit } from "../../git/objects/commits.ts"
import { askObjects } from "../../git/objects/object-reader.ts"
import type { TreeEntry } from "../../git/objects/tree-entry.ts"
import { findEntry, parseTree, type Tree } from "../../git/objects/tree-object.ts"
import type { Ends } from "./ends.ts"
import type { Sides } from "./folder-reader.ts"

/** The newest first. */
export type Touches = readonly { readonly commit: Commit; readonly paths: ReadonlySet<GitPath> }[]

export type BothTouches = {
  /** All files that are told of. */
  readonly files: ReadonlySet<GitPath>
  readonly ours: Touches
  readonly theirs: Touches
}

type Files = ReadonlyMap<GitPath, Sides<TreeEntry>>
/** What stands at a path, commit by commit, the oldest first. */
type Entries = readonly (TreeEntry | undefined)[]

/** Each at each commit; of more git is the better reader. */
const FOLDERS_MAX = 64
/** Of all these. */
const BYTES_MAX = 512 * 1024
/** How large they are is known only when they are here. */
const READ_AT_ONCE = 8

/**
 * @param ends `commits`: the task's, one line from the base.
 * @returns undefined where a git has to tell.
 */
export async function readTouches(
  repo: string,
  { base, onto, commits }: Pick<Ends, "base" | "onto"> & { readonly commits: readonly Commit[] },
  files: Files,
): Promise<BothTouches | undefined> {
  const line = await findLine(repo, base, onto)
  const between = line && (await readEntries(repo, line.slice(1, -1), [...files.keys()]))
  if (!between) return undefined
  const ours = new Map<GitPath, Entries>()
  const theirs = new Map<GitPath, Entries>()
  for (const [path, sides] of files) {
    ours.set(path, [sides.base, ...sides.theirs])
    theirs.set(path, [sides.base, ...(between.get(path) ?? []), sides.onto])
  }
  return {
    files: new Set(files.keys()),
    ours: touchesOf(commits, ours),
    theirs: touchesOf(line.slice(1), theirs),
  }
}

/** @param entries of the base, too. */
function touchesOf(commits: readonly Commit[], entries: ReadonlyMap<GitPath, Entries>): Touches {
  const touches = commits.map((commit, n) => {
    const changed = [...entries].filter(([, at]) => at[n]?.text !== at[n + 1]?.text)
    return { commit, paths: new Set(changed.map(([path]) => path)) }
  })
  return touches.reverse()
}

async function readEntries(
  repo: string,
  commits: readonly Commit[],
  paths: readonly GitPath[],
): Promise<ReadonlyMap<GitPath, Entries> | undefined> {
  const folders = [...new Set(paths.map(folderOf))]
  const names = folders.flatMap((folder) => commits.map(({ tree }) => nameIn(tree, folder)))
  const trees = names.length > FOLDERS_MAX ? undefined : await readTrees(repo, names)
  if (!trees) return undefined
  const entries = paths.map((path) => {
    const start = folders.indexOf(folderOf(path)) * commits.length
    const name = path.slice(path.lastIndexOf("/") + 1)
    const ofFolder = trees.slice(start, start + commits.length)
    return [path, ofFolder.map((tree) => tree && findEntry(tree, name))] as const
  })
  return new Map(entries)
}

const folderOf = (path: GitPath): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
const nameIn = (tree: Oid, folder: string) => (folder === "" ? tree : `${tree}:${folder}`)

/**
 * Of what has these names.
 *
 * @returns each undefined where there is no folder; undefined where git is the better reader.
 */
async function readTrees(
  repo: string,
  names: readonly string[],
): Promise<readonly (Tree | undefined)[] | undefined> {
  const trees: (Tree | undefined)[] = []
  let bytes = 0
  for (let at = 0; at < names.length; at += READ_AT_ONCE) {
    const some = names.slice(at, at + READ_AT_ONCE)
    const questions = some.map((name) => ({ verb: "contents", name }) as const)
    const found = await askObjects(repo, questions)
    for (const object of found ?? []) {
      bytes += object?.sizeBytes ?? 0
      const tree = object?.type === "tree" ? parseTree(object.content, object.oid) : undefined
      if (object?.type === "tree" && !tree) return undefined
      trees.push(tree)
    }
    if (!found || bytes > BYTES_MAX) return undefined
  }
  return trees
}
