/** Makes room for a commit in a worktree: saves and removes what git would overwrite unasked. */
import { lstat, rm } from "node:fs/promises"
import type { GitPath, Oid } from "../core/ids.ts"
import { type IndexedPaths, listIndexed } from "../git/index/ls-files-tags.ts"
import { listOthers } from "../git/index/ls-others.ts"
import { displayPath, joinBytes, parentsOf } from "../git/path.ts"
import { isSet } from "../git/repository/config.ts"
import { type Change, listChanges } from "../git/trees/diff-tree.ts"
import { WorkspaceError } from "./errors.ts"
import { type Rescue, rescueWorktree } from "./rescue.ts"
import type { Owner } from "./task-refs.ts"

type Move = { readonly owner: Owner; readonly from: Oid; readonly to: Oid }

/**
 * Ignored files, and folders of them, lie where `to` adds a path: git replaces those without a
 * word. They are rescued, then removed. Everything else git itself refuses to overwrite.
 *
 * @returns the rescue, when something was in the way.
 * @throws {WorkspaceError} `workspace.path_taken` (user) for what a rescue cannot save, such as a
 *   nested repository with its history; nothing was removed then.
 */
export async function clearCollisions(
  worktree: string,
  { owner, from, to }: Move,
): Promise<Rescue | undefined> {
  const changes = await listChanges(worktree, from, to)
  const ignored = await findUntrackedAt(worktree, changes, await listIndexed(worktree))
  if (ignored.length === 0) return undefined
  const reason = "bringing the worktree to its candidate"
  const rescued = await rescueWorktree(worktree, {
    owner,
    contained: [from],
    placed: [],
    ignored,
    reason,
  })
  const saved = new Set(rescued?.paths)
  for (const path of ignored)
    if (path.endsWith("/") || !saved.has(displayPath(path))) throw taken(worktree, path)
  for (const path of ignored) await rm(joinBytes(worktree, path), { force: true })
  return rescued
}

function taken(worktree: string, path: GitPath): WorkspaceError {
  return new WorkspaceError(
    "workspace.path_taken",
    `${worktree}/${displayPath(path)} exists already, and is not Coppice's to replace.`,
    ["Move it away, then land again."],
  )
}

/**
 * What the index does not have, but lies where a path is added or where the folder of any changed
 * path must be. Of a folder, the untracked files in it; a nested repository ends in `/`.
 *
 * What a nested repository tracks, or a link leads to, is in none of git's lists, so the disk is
 * asked, not git.
 */
export async function findUntrackedAt(
  worktree: string,
  changes: readonly Change[],
  indexed: IndexedPaths,
): Promise<GitPath[]> {
  const added = pathsOf(changes, ["A", "T"])
  const removed = new Set(pathsOf(changes, ["D"]))
  const parents = new Set(changes.flatMap(({ path }) => parentsOf(path)))
  const parentsOfAdded = new Set(added.flatMap(parentsOf))
  const blocked: GitPath[] = []
  for (const parent of parents) {
    const kind = await kindOf(worktree, parent)
    const isMovedAway = removed.has(parent) && indexed.has(parent)
    if (kind === "file" && !isMovedAway) blocked.push(parent)
    if (kind === "repository" && parentsOfAdded.has(parent)) blocked.push(`${parent}/` as GitPath)
  }
  const folders: GitPath[] = []
  for (const path of added.filter((path) => !indexed.has(path) && !isBelow(path, blocked))) {
    const kind = await kindOf(worktree, path)
    if (kind === "file") blocked.push(path)
    if (kind === "repository") blocked.push(`${path}/` as GitPath)
    if (kind === "folder") folders.push(path)
  }
  const inFolders = folders.length === 0 ? [] : await listOthers(worktree, folders)
  const foreign = await withoutSpellings(worktree, blocked, indexed)
  return [...new Set([...foreign, ...inFolders])]
}

/**
 * Where `Name` and `name` are one file, a rename from one to the other finds itself on disk. Whether
 * they are, the disk says: the setting may come from another system, or be an agent's.
 */
async function withoutSpellings(
  worktree: string,
  paths: readonly GitPath[],
  indexed: IndexedPaths,
): Promise<readonly GitPath[]> {
  if (paths.length === 0 || !(await isSet(worktree, "core.ignoreCase"))) return paths
  const known = Map.groupBy(indexed.keys(), (path) => path.toLowerCase())
  const foreign: GitPath[] = []
  for (const path of paths) {
    const id = await idOf(worktree, path)
    const twins = (known.get(path.toLowerCase()) ?? []).map((twin) => idOf(worktree, twin))
    if (!(await Promise.all(twins)).includes(id)) foreign.push(path)
  }
  return foreign
}

async function idOf(worktree: string, path: GitPath): Promise<string> {
  const found = await stat(worktree, path)
  return found ? `${found.dev} ${found.ino}` : `absent ${path}`
}

/** `file`: also a link, or anything else that is no folder. */
async function kindOf(
  worktree: string,
  path: GitPath,
): Promise<"absent" | "file" | "folder" | "repository"> {
  const found = await stat(worktree, path)
  if (!found) return "absent"
  if (!found.isDirectory()) return "file"
  return (await stat(worktree, `${path}/.git` as GitPath)) ? "repository" : "folder"
}

function stat(worktree: string, path: GitPath) {
  return lstat(joinBytes(worktree, path)).catch(() => undefined) // absent, or its folder is
}

const pathsOf = (changes: readonly Change[], statuses: readonly Change["status"][]): GitPath[] =>
  changes.filter(({ status }) => statuses.includes(status)).map(({ path }) => path)

/** A folder that cannot be used says all about the paths in it. */
const isBelow = (path: GitPath, blocked: readonly GitPath[]): boolean =>
  blocked.some((place) => path.startsWith(place.endsWith("/") ? place : `${place}/`))
