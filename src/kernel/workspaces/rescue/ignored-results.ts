/**
 * Saves small files that git ignores and that appeared during the turns of an agent: its result may be
 * among them, and nothing lands them.
 *
 * The time of a file's last change separates them from those of set-up and gate, which run between
 * turns. Caches, installed packages and bulky folders can be made again, and are not saved.
 */
import { constants, type Dirent, type Stats } from "node:fs"
import { access, lstat, readdir } from "node:fs/promises"
import type { GitPath } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { listIgnored } from "../../git/ask/ls-others.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import { isPlaced } from "../placed-files.ts"
import { type Rescue, type RescueRequest, rescueFiles } from "./rescue.ts"

/** `toMs`: null while the turn is open. */
export type TurnTime = { readonly fromMs: number; readonly toMs: number | null }

export type IgnoredResults = {
  readonly rescue: Rescue | undefined
  /** One sentence for a person. */
  readonly notice: string
}

type Request = Pick<RescueRequest, "owner" | "placed" | "reason"> & {
  readonly turns: readonly TurnTime[]
}

/** More than an agent writes as its result, less than a build leaves. */
const FILES_MAX = 1_000
const BYTES_MAX = 32 * 1024 * 1024
/** Entries of one ignored folder that are read: about 50 ms. */
const ENTRIES_MAX = 5_000
/** Filled by tools, also where a folder does not say so itself. */
const TOOLS: ReadonlySet<string> = new Set([
  ...["dist", "build", "target", "coverage"],
  ...[".git", "node_modules", ".venv", "venv", "__pycache__", ".cache", ".next", ".nuxt", ".turbo"],
  ...[
    ".vite",
    ".parcel-cache",
    ".gradle",
    ".tox",
    ".nox",
    ".nyc_output",
    ".svelte-kit",
    ".terraform",
  ],
])
/** Contents of a cache or environment. @see https://bford.info/cachedir */
const MARKS = ["CACHEDIR.TAG", "pyvenv.cfg"]
/** Files that tools write beside sources; and secrets, which have no place among the objects of git. */
const BY_TOOLS = /^\.env(\..+)?$|\.(pyc|tsbuildinfo|swp)$|^\.(DS_Store|eslintcache|coverage)$/

/** @returns undefined if there are none. */
export async function rescueIgnored(
  worktree: string,
  { turns, placed, ...request }: Request,
): Promise<IgnoredResults | undefined> {
  if (turns.length === 0) return undefined
  const entries = (await listIgnored(worktree)).filter((path) => !isPlaced(path, placed))
  const found = await Promise.all(entries.map((path) => findResults(worktree, path, turns)))
  const room = { files: FILES_MAX, bytes: BYTES_MAX }
  const saved: GitPath[] = []
  const bulky: GitPath[] = []
  for (const { path, files, bytes, isCut } of found.sort((a, b) => a.bytes - b.bytes)) {
    if (files.length === 0) continue
    const fits = !isCut && files.length <= room.files && bytes <= room.bytes
    if (!fits) {
      bulky.push(path)
      continue
    }
    room.files -= files.length
    room.bytes -= bytes
    saved.push(...files)
  }
  if (saved.length + bulky.length === 0) return undefined
  const rescue =
    saved.length > 0
      ? await rescueFiles(worktree, saved, { ...request, areIgnored: true })
      : undefined
  return { rescue, notice: notice({ saved, bulky, ref: rescue?.ref }) }
}

type Results = {
  readonly path: GitPath
  readonly files: readonly GitPath[]
  readonly bytes: number
  /** There may be more than was read. */
  readonly isCut: boolean
}

/** The files at or below an ignored path that an agent changed. */
async function findResults(
  worktree: string,
  path: GitPath,
  turns: readonly TurnTime[],
): Promise<Results> {
  const files: GitPath[] = []
  let bytes = 0
  let left = ENTRIES_MAX
  let level: readonly GitPath[] = isTools(path) ? [] : [path]
  while (level.length > 0 && left > 0) {
    const looked = level.slice(0, left)
    left -= looked.length
    const next: GitPath[] = []
    for (const one of looked) {
      if (one.endsWith("/")) next.push(...(await listFolder(worktree, one)))
      else {
        const stats = await look(worktree, one)
        if (!stats || !isOfTurn(stats, turns)) continue
        files.push(one)
        bytes += stats.size
      }
    }
    level = next
  }
  return { path, files, bytes, isCut: level.length > 0 }
}

/** Files and folders; a folder's path ends in `/`. A folder of tools is empty. */
async function listFolder(worktree: string, folder: GitPath): Promise<GitPath[]> {
  const options = { withFileTypes: true, encoding: "latin1" } as const
  const entries = await readdir(joinBytes(worktree, folder), options).catch((): Dirent[] => [])
  if (entries.some(({ name }) => MARKS.includes(name))) return []
  return entries
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}` as GitPath)
    .filter((path) => !isTools(path))
}

function isTools(path: GitPath): boolean {
  const name = path.replace(/\/$/, "").split("/").at(-1) ?? ""
  return TOOLS.has(name) || BY_TOOLS.test(name)
}

/** Plain files and links. @returns undefined also for what is gone by now, or may not be read. */
async function look(worktree: string, path: GitPath): Promise<Stats | undefined> {
  const file = joinBytes(worktree, path)
  const stats = await lstat(file).catch(() => undefined)
  if (!stats?.isFile()) return stats?.isSymbolicLink() ? stats : undefined
  const canRead = await access(file, constants.R_OK).then(
    () => true,
    () => false, // as of a container, whose files may not keep the worktree
  )
  return canRead ? stats : undefined
}

/** A file system may round a time down. */
const ROUNDING_MS = 10

const isOfTurn = ({ ctimeMs }: Stats, turns: readonly TurnTime[]): boolean =>
  turns.some(({ fromMs, toMs }) => fromMs - ROUNDING_MS <= ctimeMs && ctimeMs <= (toMs ?? Infinity))

function notice(told: {
  readonly saved: readonly GitPath[]
  readonly bulky: readonly GitPath[]
  readonly ref: string | undefined
}): string {
  const { saved, bulky, ref } = told
  const parts = [
    ...(ref === undefined
      ? []
      : [`${list(saved)} (saved in ${ref}; \`coppice recover\` makes a branch of it)`]),
    ...(bulky.length > 0 ? [`${list(bulky)} (too large to save)`] : []),
  ]
  return `Its agent left files that git ignores, which did not land: ${parts.join(", ")}.`
}

const list = (paths: readonly GitPath[]): string => nameSome(paths.map(displayPath))
