/** `git log --walk-reflogs`: when refs moved, and why. */
import type { Oid, RefName } from "../../../base/ids.ts"
import { git, stdoutText } from "../start/exec.ts"

export type Reflogged = {
  /** The commit that the ref moved to. */
  readonly oid: Oid
  readonly atMs: number
  readonly reason: string
  /** Name and address of the committer who moved it. */
  readonly by: string
}

const ARGS = [
  "log",
  "-z",
  "--walk-reflogs",
  "--no-show-signature",
  "--date=raw",
  "--format=%H %gD%n%gn <%ge>%n%gs",
]
const ENTRY = /^([0-9a-f]+) (.+)@\{(\d+) [+-]\d+\}\n(.*)\n(.*)$/s

/** The latest entry of each ref under `prefix` (`refs/coppice/rescue/`) that has any, by ref. */
export async function readReflogs(cwd: string, prefix: string): Promise<Map<string, Reflogged>> {
  const latest = new Map<string, Reflogged>()
  for (const { ref, ...entry } of await read(cwd, `--glob=${prefix}*`))
    if (!latest.has(ref)) latest.set(ref, entry)
  return latest
}

/**
 * The entries of an existing ref, newest first: all, or at most `max`. A renamed ref keeps its entries.
 */
export async function readReflog(
  cwd: string,
  ref: RefName | "HEAD",
  max?: number,
): Promise<readonly Reflogged[]> {
  return await read(cwd, ref, max === undefined ? [] : [`--max-count=${max}`])
}

/** The present name of a branch that `git branch -m` renamed: a branch keeps its reflog. */
export async function findRenamed(cwd: string, ref: RefName): Promise<RefName | undefined> {
  const grep = ["--fixed-strings", `--grep-reflog=Branch: renamed ${ref} to `]
  const [latest] = await read(cwd, "--glob=refs/heads/*", grep)
  return latest?.ref as RefName | undefined
}

async function read(
  cwd: string,
  which: string,
  also: readonly string[] = [],
): Promise<(Reflogged & { readonly ref: string })[]> {
  const entries = stdoutText(await git(cwd, [...ARGS, ...also, which, "--"])).split("\0")
  return entries.flatMap((entry) => {
    const [, oid, ref, seconds, by = "", reason = ""] = ENTRY.exec(entry) ?? []
    if (oid === undefined || ref === undefined) return []
    const atMs = Number(seconds) * 1000
    return [{ oid: oid as Oid, ref, atMs, by, reason: reason.trim() }]
  })
}
