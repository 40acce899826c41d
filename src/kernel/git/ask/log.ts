/** `git log`: commits as one line each, for people, and the files that commits added. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { git, stdoutText } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { pathspec } from "../start/pathspec.ts"

export type SubjectQuery = {
  readonly from: Oid
  readonly to: Oid
  /** Only commits that touch one of these. */
  readonly paths: readonly GitPath[]
  readonly limit: number
}

/** Digits of an abbreviated id. Git uses more if these are ambiguous. */
const ABBREVIATED = 12
const LOG = ["log", "--no-show-signature", `--abbrev=${ABBREVIATED}`, "--encoding=UTF-8"]

/** `<abbreviated id> <subject>` of the commits of `to` that are not in `from`, newest first. */
export async function listSubjects(
  cwd: string,
  { from, to, paths, limit }: SubjectQuery,
): Promise<string[]> {
  const args = [...LOG, "--format=%h %s", `--max-count=${limit}`]
  const range = [to, `^${from}`, "--", ...paths.map(pathspec)]
  return stdoutText(await git(cwd, [...args, ...range]))
    .split("\n")
    .filter(Boolean)
}

export type Added = { readonly path: GitPath; readonly mode: string; readonly oid: Oid }

const RAW = ["log", "--no-show-signature", "--format=", "--raw", "-z", "--no-abbrev"]
const ADDED = ["--no-renames", "--diff-filter=A", "--no-merges", "--no-relative"]

/**
 * Lists files added by commits of `to` that no commit in `except` contains. Merge commits add
 * nothing here.
 */
export async function listAdded(
  cwd: string,
  { to, except }: { readonly to: Oid; readonly except: readonly Oid[] },
): Promise<Added[]> {
  const range = [to, ...except.map((commit) => `^${commit}`)]
  const { stdout } = await git(cwd, [...RAW, ...ADDED, ...range, "--"])
  const parts = splitZ(stdout)
  return parts.flatMap((facts, n) => {
    const path = parts[n + 1]
    if (n % 2 === 1 || path === undefined) return []
    const [, mode = "", , oid] = facts.split(" ")
    return [{ path: path as GitPath, mode, oid: oid as Oid }]
  })
}

/**
 * `<abbreviated id> <subject>` of commits that only `tips` lead to, newest first, at most `limit`.
 */
export async function listOnlyHere(
  cwd: string,
  tips: readonly Oid[],
  limit: number,
): Promise<string[]> {
  const args = ["log", "--no-show-signature", "--format=%h %s", `--max-count=${limit}`, ...tips]
  const result = await git(cwd, [...args, "--not", "--branches", "--remotes", "--tags", "--"])
  return stdoutText(result).split("\n").filter(Boolean)
}

export type Lacking = {
  readonly from: Oid
  /** Commits that need not exist any more. */
  readonly except?: readonly string[]
  /** Only commits that hold `from`. */
  readonly isOnTop?: boolean
}

/**
 * The commits of `tip` on its own line of history that neither `from` nor any of `except` contains,
 * newest first, each with its committer's name.
 */
export async function listCommitters(
  cwd: string,
  tip: Oid,
  { from, except = [], isOnTop = false }: Lacking,
): Promise<{ readonly oid: Oid; readonly committer: string }[]> {
  const args = ["log", "--no-show-signature", "--first-parent", "--format=%H %cn"]
  const only = isOnTop ? ["--ancestry-path"] : []
  const stdin = [tip, ...[from, ...except].map((oid) => `^${oid}`), ""].join("\n")
  const result = await git(cwd, [...args, ...only, "--ignore-missing", "--stdin"], { stdin })
  const lines = stdoutText(result).split("\n").filter(Boolean)
  return lines.map((line) => {
    const [oid, ...name] = line.split(" ")
    return { oid: oid as Oid, committer: name.join(" ") }
  })
}
