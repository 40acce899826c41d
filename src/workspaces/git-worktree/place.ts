/**
 * Brings listed files that git ignores from the main worktree into a task's, so that it can run.
 *
 * Nothing that is there already is touched, nothing that git tracks is covered, and nothing is
 * written through a symbolic link. Whatever is left out for such a reason is told.
 */
import { constants, cp, lstat, mkdir, readdir, realpath, symlink } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { listTree } from "../../git/ls-tree.ts"
import { gitPath } from "../../git/path.ts"
import { readCommit } from "../../git/rev-parse.ts"
import { pathInside } from "../worktrees-folder.ts"
import { matchingPaths } from "./match.ts"

export type Placing = {
  /** Real paths: the main worktree, and the task's. */
  readonly from: string
  readonly to: string
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** The folder of all tasks' worktrees, which is never looked into. */
  readonly worktrees: string
}

/** `placed`: relative to the worktree; also what an earlier placing put there. */
export type Placed = { readonly placed: readonly string[]; readonly notices: readonly string[] }

type Mode = "copy" | "link"
type Found = { readonly mode: Mode; readonly path: string }

/** @throws {WorkspaceError} `workspace.path_refused` when a pattern leads out of the repository. */
export async function placeFiles(placing: Placing): Promise<Placed> {
  const notices: string[] = []
  const found: Found[] = []
  for (const mode of ["copy", "link"] as const) {
    for (const pattern of placing[mode]) {
      const paths = await matchingPaths(placing.from, pattern, placing.worktrees)
      if (paths.length === 0)
        notices.push(`${mode}: nothing in ${placing.from} matches ${pattern}.`)
      found.push(...paths.map((path) => ({ mode, path })))
    }
  }
  if (found.length === 0) return { placed: [], notices }
  const tracked = await listTracked(placing.to)
  const placed: string[] = []
  for (const one of found) placed.push(...(await place(one, { placing, tracked, notices })))
  return { placed: [...new Set(placed)].sort(), notices }
}

async function listTracked(worktree: string): Promise<readonly string[]> {
  const head = await readCommit(worktree, "HEAD")
  return head ? (await listTree(worktree, head)).map(({ path }) => path) : []
}

type Context = {
  readonly placing: Placing
  readonly tracked: readonly string[]
  readonly notices: string[]
}

/** Places one file or folder. @returns what of it is in the worktree and not tracked. */
async function place({ mode, path }: Found, context: Context): Promise<string[]> {
  const { placing, tracked, notices } = context
  const name = gitPath(path)
  if (tracked.includes(name)) {
    notices.push(`${mode}: ${path} is tracked by git, and stays as it is committed.`)
    return []
  }
  if (tracked.some((other) => other.startsWith(`${name}/`))) {
    const entries = await readdir(join(placing.from, path))
    const children = entries.map((entry) => ({ mode, path: `${path}/${entry}` }))
    return (await Promise.all(children.map((child) => place(child, context)))).flat()
  }
  const source = await findRealPath(join(placing.from, path))
  if (!source || !pathInside(placing.from, source) || !(await isReachable(placing.to, path))) {
    notices.push(`${mode}: ${path} is left out, because a symbolic link leads elsewhere.`)
    return []
  }
  const destination = join(placing.to, path)
  if (await findEntry(destination)) return [path] // an earlier placing, or the agent's own
  if (mode === "copy" && !(await isCopied(source, context))) return []
  await mkdir(dirname(destination), { recursive: true })
  if (mode === "link") await symlink(source, destination)
  else await copy(source, destination, context)
  return [path]
}

async function copy(source: string, destination: string, context: Context): Promise<void> {
  await cp(source, destination, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (inside) => inside === source || isCopied(inside, context),
  })
}

/** Pipes, sockets and devices have nothing in them that could be copied. */
async function isCopied(source: string, { placing, notices }: Context): Promise<boolean> {
  const found = await findEntry(source)
  if (!found) return false // it has gone meanwhile
  if (found.isFile() || found.isDirectory() || found.isSymbolicLink()) return true
  const path = relative(placing.from, source)
  notices.push(`copy: ${path} is left out, because it is neither a file, a folder nor a link.`)
  return false
}

/** Whether what exists of the folders above `path` in `root` are folders, and not links elsewhere. */
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
