/** `git ls-tree`: the files of a tree or commit. The long-running git reads a single folder. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { readTreeContents } from "./cat-file.ts"
import { ObjectsMissingError } from "./errors.ts"
import { readTrees } from "./rev-parse.ts"

export type TreeEntry = { readonly path: GitPath; readonly mode: string; readonly oid: Oid }

/** Files, links and submodules of a tree or commit, in all folders. */
export async function listTree(cwd: string, treeish: Oid): Promise<TreeEntry[]> {
  const { stdout } = await git(cwd, ["ls-tree", "-r", "-z", "--full-tree", treeish])
  return splitZ(stdout).map((line) => {
    const tab = line.indexOf("\t")
    const [mode = "", , oid] = line.slice(0, tab).split(" ")
    return { path: line.slice(tab + 1) as GitPath, mode, oid: oid as Oid }
  })
}

/** Keeps the command line well below every system's limit. */
const PATHS_PER_CALL = 200

/** Files at or below `paths`; costs what these hold, and not what the commit does. */
export async function listTreeBelow(
  cwd: string,
  commit: Oid,
  paths: readonly string[],
): Promise<GitPath[]> {
  const found: GitPath[] = []
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const some = paths.slice(at, at + PATHS_PER_CALL)
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", ...some]
    found.push(...(splitZ((await git(cwd, args)).stdout) as GitPath[]))
  }
  return found
}

/** The files at `paths`, each with its mode and id as git prints them: for comparison. */
export async function listEntries(
  cwd: string,
  commit: Oid,
  paths: readonly GitPath[],
): Promise<string[]> {
  const entries: string[] = []
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const some = paths.slice(at, at + PATHS_PER_CALL)
    const args = ["ls-tree", "-z", "--full-tree", commit, "--", ...some]
    entries.push(...splitZ((await git(cwd, args)).stdout))
  }
  return entries
}

/**
 * The names in the root folder of a commit, or in a folder of it; none if there is no such folder.
 *
 * @throws {ObjectsMissingError} if the folder's object is missing or broken.
 */
export async function listNames(cwd: string, commit: Oid, folder = ""): Promise<string[]> {
  const [root] = (await readTrees(cwd, [commit])) as [Oid]
  const [raw] = await readTreeContents(cwd, [folder === "" ? root : `${root}:${folder}`])
  if (raw === undefined && folder !== "") return []
  const entries = raw === undefined ? undefined : parseTree(raw, root.length / 2)
  if (!entries) throw new ObjectsMissingError(cwd, 1)
  return entries.map(({ name }) => name)
}

/** An entry of one folder as stored, well formed or not. */
export type RawEntry = { readonly mode: string; readonly name: string; readonly id: Oid }

/** @param raw a tree object. @param idBytes of an object id. @returns undefined if it is cut off. */
export function parseTree(raw: string, idBytes: number): RawEntry[] | undefined {
  const entries: RawEntry[] = []
  for (let at = 0; at < raw.length; ) {
    const space = raw.indexOf(" ", at)
    const end = raw.indexOf("\0", space)
    const next = end + 1 + idBytes
    if (space < 0 || end < 0 || next > raw.length) return undefined
    const [mode, name] = [raw.slice(at, space), raw.slice(space + 1, end)]
    const id = Buffer.from(raw.slice(end + 1, next), "latin1").toString("hex") as Oid
    entries.push({ mode, name, id })
    at = next
  }
  return entries
}
