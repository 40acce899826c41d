/**
 * Caches the settings that git sees in a place, and asks again only when one of their files
 * changed.
 *
 * Each git that we start needs them (programs.ts), and asking takes as long as most git commands.
 * The files are those that git names, those that it would read if they existed, and those that they
 * include. A file may appear in a place that we do not watch, so an answer is kept for a minute at
 * most. If an include depends on more than these files, such as the branch, we ask git every time.
 *
 * The worktrees of a repository share one answer, so git is not asked again in a new one. A worktree
 * with a `config.worktree` has an answer of its own, and so has each if the repository's file includes
 * another, or any file does on a condition.
 */
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { assertPlain } from "../../process/plain-file.ts"
import { commonDirOf, ifExists } from "./git-dir.ts"
import { splitZ } from "./git-path.ts"
import { includedBy } from "./included-settings.ts"
import { isAgentsFile } from "./real-place.ts"

export type ConfigEntry = {
  /** Raw bytes, section and name in lower case. */
  readonly key: string
  /** Raw bytes; `true` for a key that stands alone. */
  readonly value: string
  /**
   * `system`, `global`: the user's own. `local`, `worktree`: the repository's, or in a file that an agent can
   * land, or that such a file includes. `command`: ours.
   */
  readonly scope: string
  readonly file: string | undefined
}

/** The value of a boolean setting, as git reads it. */
export const isTrue = (value: string): boolean => !/^(false|no|off|[+-]?0+|)$/i.test(value)

/** Where a git runs, and how it finds its repository. */
export type ConfigPlace = {
  readonly cwd: string
  /** Undefined if only git can tell. Then we ask git every time. */
  readonly gitDir: string | undefined
  readonly env: NodeJS.ProcessEnv
}

type CachedAnswer = {
  readonly entries: readonly ConfigEntry[]
  /** A stamp of each file: its size, times and inode. */
  readonly stamps: ReadonlyMap<string, string>
  readonly untilMs: number
}

const USERS = ["system", "global"]

export const LIST_CONFIG = ["config", "--null", "--show-scope", "--show-origin", "--list"]

/** A changed file shows in its time stamp. This bounds how long a wrong clock can hide a change. */
const CACHED_MS_MAX = 60_000
/** A younger file may change again within the same tick of its time stamp. */
const TICK_MS_MAX = 100
/** Some file systems store times in steps of one or two seconds. */
const WHOLE_SECONDS_MS_MAX = 2_000
/** Places whose settings we keep. One more drops the oldest. */
const CACHED_MAX = 256

const cache = new Map<string, CachedAnswer>()

/**
 * @param list runs {@link LIST_CONFIG} in that place.
 * @returns weakest first: the last value of a key wins.
 * @throws {UnreadableFileError} for a pipe in place of the repository's file: git would wait for it.
 * @throws {GitUnusableError} for an include that only git understands: see included-settings.ts.
 */
export async function readConfigEntries(
  { cwd, gitDir, env }: ConfigPlace,
  list: () => Promise<string>,
): Promise<readonly ConfigEntry[]> {
  if (gitDir === undefined) return parseConfigList(await list(), { cwd, env })
  const files = usualFiles(gitDir, env)
  const { shared, own } = idsOf(gitDir, files, env)
  const ids = statFile(files.ofWorktree) ? [own] : [shared, own]
  const cached = ids.map((id) => cache.get(id)).find((answer) => answer && isFresh(answer))
  if (cached) return cached.entries
  assertReadable([files.ofRepository, files.ofWorktree])
  const askedAtMs = Date.now()
  const before = stampsOf([...files.ofUser, files.ofRepository, files.ofWorktree])
  const entries = parseConfigList(await list(), { cwd, env })
  for (const id of ids) cache.delete(id)
  const includes = entries.map((entry) => includedBy(entry, homeOf(env)))
  const included = includes.flatMap((one) => (one.kind === "file" ? one.path : []))
  const named = entries.flatMap(({ file }) => file ?? [])
  const stamps = new Map([...stampsOf([...named, ...included]), ...before])
  const isSettled = ![...stamps.keys()].some((file) => mayChangeUnseen(file, askedAtMs))
  if (!isSettled || includes.some(({ kind }) => kind === "unknown")) return entries
  if (cache.size >= CACHED_MAX) cache.delete([...cache.keys()][0] ?? "")
  const id = before.get(files.ofWorktree) === "" && isSameInAll(entries, files) ? shared : own
  cache.set(id, { entries, stamps, untilMs: performance.now() + CACHED_MS_MAX })
  return entries
}

/**
 * Whether another worktree has the same settings. The repository's are missing where git does not
 * trust the folder. They come from another file if an agent moved this worktree to another repository.
 */
function isSameInAll(entries: readonly ConfigEntry[], { ofRepository }: Files): boolean {
  const local = entries.filter(({ scope }) => scope === "local")
  const isOther = ({ key, scope }: ConfigEntry) =>
    scope === "worktree" || key.startsWith("includeif.")
  return (
    local.length > 0 && local.every(({ file }) => file === ofRepository) && !entries.some(isOther)
  )
}

function idsOf(gitDir: string, { ofUser, ofRepository }: Files, env: NodeJS.ProcessEnv) {
  const shared = [ofRepository, env["GIT_CONFIG_NOSYSTEM"], homeOf(env), ...ofUser].join("\0")
  return { shared, own: [gitDir, shared].join("\0") }
}

const isFresh = ({ stamps, untilMs }: CachedAnswer): boolean =>
  performance.now() < untilMs && [...stamps].every(([file, stamp]) => stampOf(file) === stamp)

function assertReadable(files: readonly string[]): void {
  for (const file of files) {
    const found = statFile(file)
    if (found) assertPlain(file, { isFile: () => found.isFile(), size: Number(found.size) })
  }
}

/** The files that git reads if they exist. @see https://git-scm.com/docs/git-config#FILES */
type Files = {
  readonly ofUser: readonly string[]
  readonly ofRepository: string
  readonly ofWorktree: string
}

function usualFiles(gitDir: string, env: NodeJS.ProcessEnv): Files {
  const home = homeOf(env)
  const user = [join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git/config")]
  const ofUser = [
    env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig",
    ...(env["GIT_CONFIG_GLOBAL"] === undefined
      ? [...user, join(home, ".gitconfig")]
      : [env["GIT_CONFIG_GLOBAL"]]),
  ]
  const ofRepository = join(commonDirOf(gitDir), "config")
  return { ofUser, ofRepository, ofWorktree: join(gitDir, "config.worktree") }
}

const homeOf = (env: NodeJS.ProcessEnv) => env["HOME"] ?? homedir()

/**
 * Parses the answer to {@link LIST_CONFIG}. A setting that we override has no file.
 *
 * @throws {GitUnusableError} as {@link readConfigEntries}.
 */
export function parseConfigList(
  stdout: string,
  { cwd, env }: Pick<ConfigPlace, "cwd" | "env">,
): ConfigEntry[] {
  const fields = splitZ(stdout)
  const agents = new Map<string, boolean>()
  const isAgents = (file: string) => {
    if (!agents.has(file)) agents.set(file, isAgentsFile(file))
    return agents.get(file)
  }
  return fields.flatMap((scope, at) => {
    const [origin, text] = fields.slice(at + 1, at + 3)
    if (at % 3 !== 0 || origin === undefined || text === undefined) return []
    const end = text.indexOf("\n")
    const path = origin.startsWith("file:") ? origin.slice("file:".length) : undefined
    const file = path && placed(cwd, Buffer.from(path, "latin1").toString("utf8"))
    const key = end < 0 ? text : text.slice(0, end)
    const value = end < 0 ? "true" : text.slice(end + 1)
    if (!file || !USERS.includes(scope) || !isAgents(file)) return { scope, file, key, value }
    const entry = { scope: "local", file, key, value }
    const included = includedBy(entry, homeOf(env))
    if (included.kind !== "none" && included.path) agents.set(included.path, true)
    return entry
  })
}

/** Not normalized: what follows a link and `..` is another file then. */
const placed = (cwd: string, path: string) => (isAbsolute(path) ? path : `${cwd}/${path}`)

const stampsOf = (files: readonly string[]) => new Map(files.map((file) => [file, stampOf(file)]))

function stampOf(file: string): string {
  const stat = statFile(file)
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ") : ""
}

/** Checks whether the file could change again and keep its time stamp. */
function mayChangeUnseen(file: string, nowMs: number): boolean {
  const changedMs = Number(statFile(file)?.ctimeMs ?? 0)
  return nowMs - changedMs < (changedMs % 1_000 === 0 ? WHOLE_SECONDS_MS_MAX : TICK_MS_MAX)
}

/** Undefined if the file is missing, or if we may not read it: then git may not read it either. */
function statFile(file: string) {
  return ifExists(() => statSync(file, { throwIfNoEntry: false, bigint: true }), ["EACCES"])
}
