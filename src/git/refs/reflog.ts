/** `git log --walk-reflogs`: when refs moved, and what was said about it. */
import type { Oid, RefName } from "../../core/ids.ts"
import { git, stdoutText } from "../exec.ts"

export type Reflogged = {
  /** The commit that the ref moved to. */
  readonly oid: Oid
  readonly atMs: number
  readonly reason: string
}

const ARGS = [
  "log",
  "-z",
  "--walk-reflogs",
  "--no-show-signature",
  "--date=raw",
  "--format=%H %gD %gs",
]
const ENTRY = /^([0-9a-f]+) (.+)@\{(\d+) [+-]\d+\} ?(.*)$/s

/** The latest entry of each ref under `prefix` (`refs/coppice/rescue/`) that has any, by ref. */
export async function readReflogs(cwd: string, prefix: string): Promise<Map<string, Reflogged>> {
  const latest = new Map<string, Reflogged>()
  for (const { ref, ...entry } of await read(cwd, `--glob=${prefix}*`))
    if (!latest.has(ref)) latest.set(ref, entry)
  return latest
}

/** All entries of one ref that is there, newest first; one that was renamed takes them along. */
export async function readReflog(
  cwd: string,
  ref: RefName | "HEAD",
): Promise<readonly Reflogged[]> {
  return await read(cwd, ref)
}

export type RefMove = Reflogged & {
  readonly commit: Oid
  /** Name and address of whoever moved it, as they gave them. */
  readonly by: string
}

/** Newer than these are not asked for. */
const MOVES_MAX = 500
const MOVE = /^(\S+) .*@\{(\d+) [+-]\d+\}\n(.*)\n(.*)$/

/** The last moves of one ref that is there, newest first; empty where it has no reflog. */
export async function readRefMoves(cwd: string, ref: RefName): Promise<readonly RefMove[]> {
  const format = ["--date=raw", "--format=%H %gD%n%gn <%ge>%n%gs", `--max-count=${MOVES_MAX}`]
  const args = ["log", "-z", "--walk-reflogs", "--no-show-signature", ...format, ref, "--"]
  const moves = stdoutText(await git(cwd, args)).split("\0")
  return moves.flatMap((move) => {
    const [, commit, seconds, by = "", reason = ""] = MOVE.exec(move) ?? []
    if (commit === undefined) return []
    return { commit: commit as Oid, atMs: Number(seconds) * 1000, by, reason: reason.trim() }
  })
}

async function read(cwd: string, which: string): Promise<(Reflogged & { readonly ref: string })[]> {
  const entries = stdoutText(await git(cwd, [...ARGS, which, "--"])).split("\0")
  return entries.flatMap((entry) => {
    const [, oid, ref, seconds, reason = ""] = ENTRY.exec(entry) ?? []
    if (oid === undefined || ref === undefined) return []
    return [{ oid: oid as Oid, ref, atMs: Number(seconds) * 1000, reason: reason.trim() }]
  })
}
