/**
 * `git config --list`, asked again only when a file has changed that it was read from.
 *
 * To ask takes as long as all else that a worktree costs which is ready. The files are those that
 * git names, and those that it would read if they were there. One may lie where nobody looks (a
 * system's own place, still empty): so nothing is known for longer than a minute. Where a file
 * includes others git is asked every time.
 */
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { git } from "../exec.ts"
import { splitZ } from "../path.ts"
import { commonDirOf, findGitDir } from "../worktrees/git-dir.ts"
import type { Setting } from "./config.ts"

type Known = {
  readonly settings: readonly Setting[]
  /** The files, and what they were like. */
  readonly stamps: ReadonlyMap<string, string>
  readonly untilMs: number
}

const KNOWN_MS_MAX = 60_000
/** A file that is younger may change once more within the same tick of its time stamp. */
const TICK_MS_MAX = 100
/** Some file systems know whole seconds alone, or every second one. */
const WHOLE_SECONDS_MS_MAX = 2_000
/** Repositories; of more, the oldest is asked again. */
const KNOWN_MAX = 64

const known = new Map<string, Known>()

/**
 * Settings whose key matches, weakest first, as `listConfig` tells them.
 *
 * @param cwd the root of a worktree; anywhere else git is asked every time.
 */
export async function listKnownConfig(cwd: string, regexp: string): Promise<Setting[]> {
  const key = new RegExp(Buffer.from(regexp, "utf8").toString("latin1")) // keys are raw bytes too
  const files = usualFiles(cwd)
  const id = files && [cwd, process.env["GIT_CONFIG_NOSYSTEM"], ...files].join("\0")
  const found = id === undefined ? undefined : known.get(id)
  const settings = found && isFresh(found) ? found.settings : await ask(cwd, id, files ?? [])
  return settings.filter((setting) => key.test(setting.key))
}

async function ask(
  cwd: string,
  id: string | undefined,
  files: readonly string[],
): Promise<readonly Setting[]> {
  const askedAtMs = Date.now()
  const before = stampsOf(files)
  const { stdout } = await git(cwd, ["config", "--null", "--show-origin", "--list"])
  const entries = parse(cwd, stdout)
  const settings = entries.map(({ key, value }) => ({ key, value }))
  const others = entries.flatMap(({ file }) => (file && !before.has(file) ? [file] : []))
  const stamps = new Map([...before, ...stampsOf([...new Set(others)])])
  const isWhole = !settings.some(({ key }) => /^include(if)?\./.test(key))
  if (id !== undefined) known.delete(id)
  const isTold = ![...stamps.keys()].some((file) => isYoung(file, askedAtMs))
  if (id === undefined || !isWhole || !isTold) return settings
  if (known.size >= KNOWN_MAX) known.delete([...known.keys()][0] ?? "")
  known.set(id, { settings, stamps, untilMs: performance.now() + KNOWN_MS_MAX })
  return settings
}

const isFresh = ({ stamps, untilMs }: Known): boolean =>
  performance.now() < untilMs && [...stamps].every(([file, stamp]) => stampOf(file) === stamp)

/** What git reads where it is there, besides the system's. @see https://git-scm.com/docs/git-config#FILES */
function usualFiles(cwd: string): string[] | undefined {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return undefined
  const { env } = process
  const home = env["HOME"] ?? homedir()
  const user = [join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git/config")]
  return [
    env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig",
    ...(env["GIT_CONFIG_GLOBAL"] === undefined
      ? [...user, join(home, ".gitconfig")]
      : [env["GIT_CONFIG_GLOBAL"]]),
    join(commonDirOf(gitDir), "config"),
    join(gitDir, "config.worktree"),
  ]
}

/** Of each setting where it comes from, and itself; no file for what we overrule. */
function parse(cwd: string, stdout: string): (Setting & { readonly file: string | undefined })[] {
  const fields = splitZ(stdout)
  return fields.flatMap((origin, at) => {
    const text = fields[at + 1]
    if (at % 2 === 1 || text === undefined) return []
    const end = text.indexOf("\n")
    const path = origin.startsWith("file:") ? origin.slice("file:".length) : undefined
    return {
      file: path && resolve(cwd, Buffer.from(path, "latin1").toString("utf8")),
      key: end < 0 ? text : text.slice(0, end),
      value: end < 0 ? "true" : text.slice(end + 1),
    }
  })
}

const stampsOf = (files: readonly string[]) => new Map(files.map((file) => [file, stampOf(file)]))

function stampOf(file: string): string {
  const found = look(file)
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ") : ""
}

/** Whether another change may show in no time stamp. */
function isYoung(file: string, nowMs: number): boolean {
  const changedMs = Number(look(file)?.ctimeMs ?? 0)
  return nowMs - changedMs < (changedMs % 1_000 === 0 ? WHOLE_SECONDS_MS_MAX : TICK_MS_MAX)
}

/** Undefined too where we may not look: git may not read it either. */
function look(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false, bigint: true })
  } catch {
    return undefined
  }
}
