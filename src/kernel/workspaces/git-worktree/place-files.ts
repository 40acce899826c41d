/**
 * Copies or links listed ignored files from the main worktree into a task's, so that it can run.
 *
 * It never changes existing files, hides tracked ones, or writes through a symbolic link. A notice
 * names each path that it leaves out, except those that exist already.
 */
import { glob, lstat, mkdir, readdir, realpath, symlink } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { listTreeBelow } from "../../git/ask/ls-tree.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { gitPath } from "../../git/start/git-path.ts"
import { WorkspaceError } from "../errors.ts"
import { pathInside } from "../worktrees-folder.ts"
import { Copier } from "./copy-whole.ts"
import { findIncluded } from "./worktree-include.ts"

export type Placing = {
  /** Real paths: the main worktree, and the task's. */
  readonly from: string
  readonly to: string
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** `.worktreeinclude` brings nothing. */
  readonly isContained: boolean
  /** The folder of all tasks' worktrees, which is never searched. */
  readonly worktrees: string
  readonly signal: AbortSignal
}

/** All paths are relative to the worktree. */
export type Placed = {
  /** Includes those of earlier placings. */
  readonly placed: readonly string[]
  /** By this placing only, as `linked` is. */
  readonly copied: readonly string[]
  readonly linked: readonly string[]
  /** How many files and folders were copied, including those inside folders. */
  readonly copiedEntries: number
  readonly notices: readonly string[]
}

/** `include`: named by `.worktreeinclude`, and copied. */
type Mode = "copy" | "link" | "include"
type Found = { readonly mode: Mode; readonly path: string }

/**
 * @throws {WorkspaceError} `workspace.path_refused` when a pattern leads out of the repository.
 * @throws {CopyError} Files placed so far stay, and the next placing continues from there.
 */
export async function placeFiles(placing: Placing): Promise<Placed> {
  const notices: string[] = []
  const found = await findAll(placing, notices)
  const copier = new Copier(placing.to, placing.signal)
  const done: Record<Mode, string[]> = { copy: [], link: [], include: [] }
  const tracked = await listTracked(placing.to, found)
  const context = { placing, tracked, notices, copier, done }
  const placed: string[] = []
  for (const one of found) placed.push(...(await place(one, context)))
  return {
    placed: [...new Set(placed)].sort(),
    copied: [...done.copy, ...done.include],
    linked: done.link,
    copiedEntries: copier.count,
    notices,
  }
}

async function findAll(placing: Placing, notices: string[]): Promise<Found[]> {
  const { from, worktrees } = placing
  const found: Found[] = []
  for (const mode of ["copy", "link"] as const) {
    for (const pattern of placing[mode]) {
      const paths = await matchingPaths(from, pattern, worktrees)
      if (paths.length === 0) notices.push(`${mode}: nothing in ${from} matches ${pattern}.`)
      found.push(...paths.map((path) => ({ mode, path })))
    }
  }
  const isOurs = (path: string) => path === worktrees || pathInside(worktrees, path) !== undefined
  const included = await findIncluded(from, isOurs)
  notices.push(...included.notices)
  if (placing.isContained) {
    const left = included.paths.filter((path) => !found.some((one) => one.path === path))
    const why = "a contained agent gets only what `repos.<name>.copy` in coppice.yml names"
    if (left.length > 0) notices.push(`include: ${nameSome(left)} left out, because ${why}.`)
    return found
  }
  return [...found, ...included.paths.map((path) => ({ mode: "include", path }) as const)]
}

async function listTracked(worktree: string, found: readonly Found[]): Promise<GitPath[]> {
  const head = found.length > 0 ? await readCommit(worktree, "HEAD") : undefined
  const paths = found.map(({ path }) => path)
  return head ? await listTreeBelow(worktree, head, paths) : []
}

type Context = {
  readonly placing: Placing
  readonly tracked: readonly GitPath[]
  readonly notices: string[]
  readonly copier: Copier
  readonly done: Readonly<Record<Mode, string[]>>
}

/** Places one file or folder. @returns the parts of it that are in the worktree and not tracked. */
async function place({ mode, path }: Found, context: Context): Promise<string[]> {
  const { placing, tracked, notices, done } = context
  const name = gitPath(path)
  if (tracked.includes(name)) {
    notices.push(`${mode}: ${path} is tracked by git, and stays as it is committed.`)
    return []
  }
  if (tracked.some((other) => other.startsWith(`${name}/`))) {
    const entries = await readdir(join(placing.from, path))
    const placed: string[] = []
    for (const entry of entries)
      placed.push(...(await place({ mode, path: `${path}/${entry}` }, context)))
    return placed
  }
  const source = await findRealPath(join(placing.from, path))
  const inside = source && pathInside(placing.from, source)
  if (!inside || isGits(inside) || !(await isReachable(placing.to, path))) {
    notices.push(`${mode}: ${path} is left out, because a symbolic link leads elsewhere.`)
    return []
  }
  const destination = join(placing.to, path)
  if (await findEntry(destination)) return [path] // from an earlier placing, or the agent's own
  if (mode === "link") {
    await mkdir(dirname(destination), { recursive: true })
    await symlink(source, destination)
  } else if (!(await copy({ mode, path }, { source, destination }, context))) return []
  done[mode].push(path)
  return [path]
}

/** @returns whether it was copied; a notice gives the reason otherwise. */
async function copy(
  { mode, path }: Found,
  { source, destination }: { readonly source: string; readonly destination: string },
  context: Context,
): Promise<boolean> {
  if (!(await isCopied(source, context))) return false
  const inside = (entry: string) => isCopied(entry, context)
  const copied = await context.copier.copy({ source, destination, isCopied: inside })
  if (copied.kind === "copied") return true
  const why = `with it there are more than ${copied.max} files and folders to copy`
  context.notices.push(
    `${mode}: ${path} is left out: ${why}. \`link\` it, or let \`setup\` make it.`,
  )
  return false
}

/** Pipes, sockets and devices have no content to copy. */
async function isCopied(source: string, { placing, notices }: Context): Promise<boolean> {
  const found = await findEntry(source)
  if (!found) return false // the source has just gone
  if (found.isFile() || found.isDirectory() || found.isSymbolicLink()) return true
  const path = relative(placing.from, source)
  notices.push(`copy: ${path} is left out, because it is neither a file, a folder nor a link.`)
  return false
}

/** Whether all existing folders above `path` in `root` are real folders, not links. */
async function isReachable(root: string, path: string): Promise<boolean> {
  for (let above = dirname(path); above !== "."; above = dirname(above)) {
    const found = await findEntry(join(root, above))
    if (found)
      return found.isDirectory() && (await realpath(join(root, above))) === join(root, above)
  }
  return true
}

const findEntry = (path: string) => lstat(path).catch(undefinedWhenAbsent)
const findRealPath = (path: string) => realpath(path).catch(undefinedWhenAbsent)

function undefinedWhenAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
}

/**
 * Lists the outermost paths that `pattern` matches, relative to `root` and sorted.
 *
 * Git's own folder and other tasks' worktrees (`worktrees`, absolute) are never searched.
 *
 * @throws {WorkspaceError} `workspace.path_refused` when the pattern leads out of `root`.
 */
async function matchingPaths(root: string, pattern: string, worktrees: string): Promise<string[]> {
  if (isAbsolute(pattern) || pattern.split("/").includes("..")) throw refused(pattern)
  const exclude = (path: string) => isGits(path) || join(root, path) === worktrees
  const paths: string[] = []
  for await (const match of glob(pattern.replace(/\/+$/, ""), { cwd: root, exclude })) {
    const path = pathInside(root, resolve(root, match))
    if (path !== undefined && !exclude(path) && !pathInside(worktrees, join(root, path)))
      paths.push(path)
  }
  return outermost(paths)
}

const isGits = (path: string) => path === ".git" || path.startsWith(".git/")

function outermost(paths: readonly string[]): string[] {
  const found = new Set(paths)
  const isInsideAnother = (path: string) => {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      if (found.has(path.slice(0, at))) return true
    return false
  }
  return [...found].filter((path) => !isInsideAnother(path)).sort()
}

function refused(pattern: string): WorkspaceError {
  return new WorkspaceError(
    "workspace.path_refused",
    `"${pattern}" in copy or link leads out of the repository.`,
    ["List paths relative to the repository's root in `copy` and `link` of coppice.yml."],
  )
}
