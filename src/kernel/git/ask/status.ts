/**
 * `git status`: how a worktree differs from its commit, whatever core.fileMode and its like say.
 * Never writes the index.
 *
 * An unchanged file from set-up or `copy` (made-files.ts) does not count as a change, nor does one that is as a checkout
 * writes it (as-written.ts).
 */
import { lstatSync, realpathSync } from "node:fs"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listPathsBehindLinks } from "../start/behind-links.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { findGitDir } from "../start/git-dir.ts"
import { joinBytes, splitZ } from "../start/git-path.ts"
import { listAsWritten, type WrittenOptions } from "./as-written.ts"
import { listGitlinks } from "./gitlinks.ts"
import { listUnchangedMade } from "./made-files.ts"
import { askPaths } from "./rev-parse.ts"
import { trueModes } from "./true-modes.ts"

export type Status = {
  /** The index differs from HEAD. */
  readonly staged: readonly GitPath[]
  /** The staged files that HEAD does not have. */
  readonly added: readonly GitPath[]
  /** Staged files that set-up or `copy` put there, unchanged; in none of the other lists. */
  readonly stagedMade: readonly GitPath[]
  /** The file differs from the index. */
  readonly unstaged: readonly GitPath[]
  /** Neither tracked nor ignored; a nested repository is its folder's path, ending in `/`. */
  readonly untracked: readonly GitPath[]
  /** In conflict; in none of the other lists. */
  readonly unmerged: readonly GitPath[]
  /** Submodules with changes; also in the lists above. */
  readonly submodules: readonly SubmoduleStatus[]
  /** The settings of the question (true-modes.ts); undefined for a user's own checkout. */
  readonly modes: Readonly<Record<string, string>> | undefined
}

export type SubmoduleStatus = {
  readonly path: GitPath
  readonly modified: boolean
  readonly untracked: boolean
}

const ARGS = ["--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"]
/** The number of fields before the path, by the first char of a line. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 }

export type StatusOptions = {
  /** An index other than the worktree's own, absolute. */
  readonly indexFile?: string
  /** A user's own checkout: we write no probe there, and believe the configured modes. */
  readonly isUsers?: boolean
}

/** Covers the whole worktree, from any folder in it. Paths are relative to its root. */
export async function readStatus(
  cwd: string,
  { indexFile, isUsers = false }: StatusOptions = {},
): Promise<Status> {
  const { stdout, modes } = await askStatus(cwd, indexFile, isUsers)
  const told = splitZ(stdout).flatMap(parseLine)
  const all = withChanged(told, await listChangedInside(cwd, { indexFile, isUsers }))
  const made = isUsers ? new Set<Line>() : await findMade(cwd, all)
  const changed = all.filter((line) => !made.has(line))
  const lines = await withoutWritten(cwd, changed, {
    env: indexEnv(indexFile),
    settings: modes ?? {},
  })
  const paths = (isWanted: (line: Line) => boolean) =>
    lines.filter(isWanted).map(({ path }) => path)
  return {
    staged: paths(({ type, index }) => type === "1" && index !== "."),
    added: paths(({ type, index }) => type === "1" && index === "A"),
    stagedMade: [...made].filter(({ type }) => type === "1").map(({ path }) => path),
    unstaged: paths(({ type, file }) => type === "1" && file !== "."),
    untracked: paths(({ type }) => type === "?"),
    unmerged: paths(({ type }) => type === "u"),
    submodules: lines.flatMap(submodule),
    modes: isUsers ? undefined : (modes ?? {}),
  }
}

type Asked = { readonly indexFile: string | undefined; readonly isUsers: boolean }

async function askStatus(cwd: string, indexFile: string | undefined, isUsers: boolean) {
  const args = ["status", ...ARGS, "--ignore-submodules=dirty", "--", ":/"]
  const ask = (settings = {}) => git(cwd, args, { env: indexEnv(indexFile), settings })
  const [first, modes] = await Promise.all([ask(), isUsers ? undefined : trueModes(cwd)])
  const { stdout } = modes ? await ask(modes) : first
  return { stdout, modes }
}

/**
 * The submodules with changes inside. Git would look there by itself, and run the filters that their
 * own configuration names. So each one is asked like a repository of its own.
 */
async function listChangedInside(cwd: string, options: Asked): Promise<Line[]> {
  const links = await listGitlinks(cwd, options.indexFile)
  if (links.length === 0) return []
  const root = (await findRoot(cwd)) ?? cwd
  const behind = new Set(listPathsBehindLinks(root, links))
  const changed: Line[] = []
  for (const path of links) {
    const folder = joinBytes(root, path).toString("utf8")
    if (behind.has(path) || isLink(folder) || findGitDir(folder) === undefined) continue
    const [isModified, isUntracked] = await lookInside(folder, options)
    const sub = `S.${isModified ? "M" : "."}${isUntracked ? "U" : "."}`
    if (isModified || isUntracked) changed.push({ type: "1", index: ".", file: "M", sub, path })
  }
  return changed
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()

/** The root of the worktree that git finds at `folder`. */
async function findRoot(folder: string): Promise<string | undefined> {
  const { paths } = await askPaths(folder, [["--show-toplevel"]], { answers: [0, 128] })
  return paths[0]
}

async function lookInside(folder: string, { isUsers }: Asked) {
  // Git finds another worktree from there. So it is not known what lies there.
  if ((await findRoot(folder)) !== realpathSync(folder)) return [true, false]
  const inside = await readStatus(folder, { isUsers })
  const { staged, stagedMade, unstaged, unmerged, untracked } = inside
  const isModified = [staged, stagedMade, unstaged, unmerged].some((paths) => paths.length > 0)
  return [isModified, untracked.length > 0]
}

function withChanged(told: readonly Line[], inside: readonly Line[]): Line[] {
  const changes = new Map(inside.map((line) => [line.path, line]))
  const merged = told.map((line) => {
    const change = changes.get(line.path)
    if (!change || line.type !== "1") return line
    changes.delete(line.path)
    return { ...line, file: "M", sub: line.sub.slice(0, 2) + change.sub.slice(2) }
  })
  return [...merged, ...changes.values()]
}

type Line = {
  readonly type: string
  readonly index: string
  readonly file: string
  readonly sub: string
  readonly path: GitPath
  /** In the index, if the file's mode is still the same. */
  readonly oid?: Oid
}

/** Whether only the worktree has the file: no commit, and no other content in the index. */
const isNew = ({ type, index, file }: Line): boolean =>
  type === "?" || (type === "1" && index === "A" && file === ".")

async function findMade(cwd: string, lines: readonly Line[]): Promise<ReadonlySet<Line>> {
  const made = lines.some(isNew) ? await listUnchangedMade(cwd) : new Set<GitPath>()
  return new Set(lines.filter((line) => made.has(line.path) && isNew(line)))
}

/** Leaves out what git calls changed in every fresh checkout. */
async function withoutWritten(
  cwd: string,
  lines: readonly Line[],
  options: WrittenOptions,
): Promise<readonly Line[]> {
  const edited = lines.flatMap(({ file, path, oid }) =>
    file === "M" && oid ? [{ path, oid }] : [],
  )
  const root = edited.length > 0 && (await findRoot(cwd))
  if (!root) return lines
  const written = await listAsWritten(root, edited, options)
  return lines.map((line) => (written.has(line.path) ? { ...line, file: "." } : line))
}

function parseLine(text: string): Line[] {
  const type = text[0] ?? ""
  const fields = FIELDS[type]
  if (fields === undefined) return [] // a header
  const parts = text.split(" ")
  const path = parts.slice(fields).join(" ") as GitPath
  if (type === "?") return [{ type, index: ".", file: ".", sub: "N...", path }]
  const [, [index = ".", file = "."] = "", sub = "N...", , indexMode, fileMode, , oid] = parts
  const line = { type, index, file, sub, path }
  const isFile = type === "1" && indexMode?.startsWith("100")
  return [isFile && indexMode === fileMode ? { ...line, oid: oid as Oid } : line]
}

function submodule({ sub, path }: Line): SubmoduleStatus[] {
  if (!/^S.*[CMU]/.test(sub)) return []
  return [{ path, modified: sub[2] === "M", untracked: sub[3] === "U" }]
}
