/** `git log`: commits as one line each, for people. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git, stdoutText } from "../start/exec.ts"
import { pathspec } from "../start/pathspec.ts"

type About = {
  /** Only commits that touch one of these. */
  readonly paths: readonly GitPath[]
  readonly limit: number
}
export type SubjectQuery = About & { readonly from: Oid; readonly to: Oid }

/** Digits of an abbreviated id. Git uses more if these are ambiguous. */
const ABBREVIATED = 12
const LOG = ["log", "--no-show-signature", `--abbrev=${ABBREVIATED}`, "--encoding=UTF-8"]
/** Both sides together. Git walks them all before it prints anything. */
const SIDES_MAX = 1_000

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

/**
 * The same for two commits, each without the commits of the other, in half the time.
 *
 * @returns undefined if there are too many.
 */
export async function listSides(
  cwd: string,
  { left, right, paths, limit }: About & { readonly left: Oid; readonly right: Oid },
): Promise<{ readonly left: string[]; readonly right: string[] } | undefined> {
  const args = [...LOG, "--left-right", "--format=%m%h %s", `--max-count=${SIDES_MAX}`]
  const range = [`${left}...${right}`, "--", ...paths.map(pathspec)]
  const lines = stdoutText(await git(cwd, [...args, ...range]))
    .split("\n")
    .filter(Boolean)
  if (lines.length >= SIDES_MAX) return undefined
  const ofSide = (mark: string) =>
    lines.flatMap((line) => (line.startsWith(mark) ? line.slice(1) : [])).slice(0, limit)
  return { left: ofSide("<"), right: ofSide(">") }
}
