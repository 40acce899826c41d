/**
 * Makes room for a commit in a worktree: saves and removes files that git would silently overwrite.
 */
import { lstat, rm } from "node:fs/promises"
import type { GitPath, Oid } from "../../base/ids.ts"
import { isSet } from "../git/ask/config.ts"
import { type Change, listChanges } from "../git/ask/diff-tree.ts"
import { type IndexedPaths, listIndexed } from "../git/ask/ls-files.ts"
import { listOthers } from "../git/ask/ls-others.ts"
import { displayPath, joinBytes, parentsOf } from "../git/start/git-path.ts"
import { WorkspaceError } from "./errors.ts"
import { type Rescue, rescueWorktree } from "./rescue/rescue.ts"
import type { Owner } from "./task-refs.ts"

type Move = { readonly owner: Owner; readonly from: Oid; readonly to: Oid }

/**
 * Git silently replaces ignored files and folders at paths that `to` adds. They are rescued, then
 * removed. Everything else git itself refuses to overwrite.
 *
 * @returns the rescue, if something was in the way.
 * @throws {WorkspaceError} `workspace.path_taken` (user) for files that a rescue cannot save, such
 *   as a nested repository with its history; nothing was removed then.
 */
export async function clearCollisions(
  worktree: string,
  { owner, from, to }: Move,
): Promise<Rescue | undefined> {
  const changes = await listChanges(worktree, from, to)
  const ignored = await findUntrackedAt(worktree, changes)
  if (ignored.length === 0) return undefined
  const reason = "bringing the worktree to its candidate"
  const rescued = await rescueWorktree(worktree, {
    owner,
    safeCommits: [from],
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
    `${worktree}/${displayPath(path)} exists already, and does not belong to Coppice.`,
    ["Move it away, then land again."],
  )
}

/**
 * Lists paths missing from the index but present on disk, where a path is added or a changed path
 * needs a folder. For a folder, its untracked files; a nested repository ends in `/`.
 *
 * None of git's lists include files tracked by a nested repository or reached through a link, so we
 * read the disk.
 */
export async function findUntrackedAt(
  worktree: string,
  changes: readonly Change[],
): Promise<GitPath[]> {
  const added = pathsOf(changes, ["A", "T"])
  const removed = new Set(pathsOf(changes, ["D"]))
  const parents = new Set(changes.flatMap(({ path }) => parentsOf(path)))
  const parentsOfAdded = new Set(added.flatMap(parentsOf))
  const kinds = new Map<GitPath, Kind>()
  for (const path of [...parents, ...added]) kinds.set(path, await kindOf(worktree, path))
  const isRoom = (path: GitPath) => kinds.get(path) === "folder" || kinds.get(path) === "absent"
  if ([...parents].every(isRoom) && added.every((path) => kinds.get(path) === "absent")) return []
  const indexed = await listIndexed(worktree)
  const blocked: GitPath[] = []
  for (const parent of parents) {
    const kind = kinds.get(parent)
    const isMovedAway = removed.has(parent) && indexed.has(parent)
    if (kind === "file" && !isMovedAway) blocked.push(parent)
    if (kind === "repository" && parentsOfAdded.has(parent)) blocked.push(`${parent}/` as GitPath)
  }
  const folders: GitPath[] = []
  for (const path of added.filter((path) => !indexed.has(path) && !isBelow(path, blocked))) {
    const kind = kinds.get(path)
    if (kind === "file") blocked.push(path)
    if (kind === "repository") blocked.push(`${path}/` as GitPath)
    if (kind === "folder") folders.push(path)
  }
  const inFolders = folders.length === 0 ? [] : await listOthers(worktree, folders)
  const foreign = await withoutSpellings(worktree, blocked, indexed)
  return [...new Set([...foreign, ...inFolders])]
}

/**
 * If `Name` and `name` are the same file, a rename between them finds itself on disk. We ask the
 * disk, because the git setting may come from another system or from an agent.
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

/** `file`: also a link, or anything else that is not a folder. */
type Kind = "absent" | "file" | "folder" | "repository"

async function kindOf(worktree: string, path: GitPath): Promise<Kind> {
  const found = await stat(worktree, path)
  if (!found) return "absent"
  if (!found.isDirectory()) return "file"
  return (await stat(worktree, `${path}/.git` as GitPath)) ? "repository" : "folder"
}

function stat(worktree: string, path: GitPath) {
  return lstat(joinBytes(worktree, path)).catch(() => undefined) // the file or its folder is absent
}

const pathsOf = (changes: readonly Change[], statuses: readonly Change["status"][]): GitPath[] =>
  changes.filter(({ status }) => statuses.includes(status)).map(({ path }) => path)

/** Paths in a blocked folder need no check of their own. */
const isBelow = (path: GitPath, blocked: readonly GitPath[]): boolean =>
  blocked.some((place) => path.startsWith(place.endsWith("/") ? place : `${place}/`))
