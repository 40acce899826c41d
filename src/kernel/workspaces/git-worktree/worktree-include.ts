/**
 * Finds the files that the main worktree's `.worktreeinclude` names. Its syntax is that of
 * gitignore; Claude Code, Codex and others read it too.
 *
 * It selects ignored files that match a pattern; git does the matching. A matching folder is
 * selected whole. Other ignored folders are searched up to a limit, except those that tools fill.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { makePatterns, type Patterns } from "../../git/ask/check-ignore.ts"
import { listIgnored } from "../../git/ask/ls-others.ts"
import { joinBytes } from "../../git/start/git-path.ts"
import { findPlain } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch-folder.ts"

const FILE = ".worktreeinclude"
/** A list of patterns that a person wrote is far smaller. */
const FILE_BYTES_MAX = 1024 * 1024
/** Entries to inspect in ignored folders: about a second. */
const ENTRIES_MAX = 50_000
/** Filled by tools, with more files than all the rest: only selected if a pattern names them. */
const FILLED: ReadonlySet<string> = new Set([
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".git",
])

export type Included = { readonly paths: readonly string[]; readonly notices: readonly string[] }

/**
 * @param isOurs whether an absolute path is Coppice's and not the user's.
 * @returns paths relative to `root`, of files and folders, none inside another of them.
 */
export async function findIncluded(
  root: string,
  isOurs: (path: string) => boolean,
): Promise<Included> {
  // Not through a link, which may lead anywhere.
  const text = findPlain(join(root, FILE), { bytesMax: FILE_BYTES_MAX, follows: false })
  if (!text) return { paths: [], notices: [] }
  using scratch = makeScratch()
  const patterns = await makePatterns(scratch.path, text)
  const ignored = (await listIgnored(root)).filter((path) => !isOurs(absolute(root, path)))
  return await search(root, patterns, ignored)
}

async function search(
  root: string,
  patterns: Patterns,
  ignored: readonly GitPath[],
): Promise<Included> {
  const paths: string[] = []
  let left = ENTRIES_MAX
  let level = ignored
  while (level.length > 0 && left > 0) {
    const looked = level.slice(0, left)
    left -= looked.length
    const matching = new Set(await patterns.match(looked))
    paths.push(...[...matching].map((path) => textOf(path.replace(/\/$/, ""))))
    const folders = looked.filter((path) => path.endsWith("/") && !matching.has(path))
    const open = folders.filter((path) => !FILLED.has(path.split("/").at(-2) ?? ""))
    level = (await Promise.all(open.map((folder) => listEntries(root, folder)))).flat()
  }
  const notices =
    level.length > 0
      ? [`${FILE}: not all of the ignored folders were searched; name them there.`]
      : []
  return { paths: paths.sort(), notices }
}

async function listEntries(root: string, folder: GitPath): Promise<GitPath[]> {
  const options = { withFileTypes: true, encoding: "latin1" } as const
  const entries = await readdir(joinBytes(root, folder), options).catch(() => []) // gone, or unreadable
  return entries.map(
    (entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}` as GitPath,
  )
}

const textOf = (path: string) => Buffer.from(path, "latin1").toString("utf8")
const absolute = (root: string, path: GitPath) => join(root, textOf(path)).replace(/\/$/, "")
