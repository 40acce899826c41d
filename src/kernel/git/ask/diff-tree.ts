/** `git diff-tree`: which paths and lines differ between two commits. */
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { indexEnv } from "../start/environment.ts"
import { git, stdoutText } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"

export type Change = {
  readonly path: GitPath
  /** Added, deleted, modified, or changed in type (file, symbolic link, submodule). */
  readonly status: "A" | "D" | "M" | "T"
  /** Six octal digits; all zeros where there is none, like the object id. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldOid: Oid
  readonly newOid: Oid
}

/** A file that does not exist: git reads the whole index first, and needs nothing of it. */
const NO_INDEX = indexEnv("/dev/coppice-no-index")
const RAW = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"]

/**
 * Every path that differs. A rename is a deletion and an addition.
 *
 * @param pathspecs only paths that match one of these; none: all.
 */
export async function listChanges(
  cwd: string,
  from: Oid,
  to: Oid,
  pathspecs: readonly string[] = [],
): Promise<Change[]> {
  const args = ["diff-tree", ...RAW, "--no-relative", from, to, "--", ...pathspecs]
  const { stdout } = await git(cwd, args, { env: NO_INDEX })
  const parts = splitZ(stdout)
  return parts.flatMap((facts, n) => {
    if (n % 2 === 1) return [] // the path of the one before
    const [oldMode, newMode, oldOid, newOid, status] = facts.slice(1).split(" ")
    const path = parts[n + 1]
    return [{ path, status, oldMode, newMode, oldOid, newOid } as Change]
  })
}

export type FileDiff = {
  readonly path: GitPath
  /** The path before a rename. */
  readonly oldPath: GitPath | undefined
  /** Added, deleted, modified, renamed, changed in type. */
  readonly status: "A" | "D" | "M" | "R" | "T"
  /** Lines; undefined for binary files. */
  readonly added: number | undefined
  readonly removed: number | undefined
}

const STAT = ["-r", "-z", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-relative"]

export async function listFileDiffs(cwd: string, from: Oid, to: Oid): Promise<FileDiff[]> {
  const args = ["diff-tree", ...STAT, "--ignore-submodules=none", "--raw", "--numstat", from, to]
  const fields = splitZ((await git(cwd, [...args, "--"])).stdout)
  const files: Pick<FileDiff, "path" | "oldPath" | "status">[] = []
  let at = 0
  for (; fields[at]?.startsWith(":"); at += 2) {
    const status = (fields[at]?.split(" ")[4] ?? "").charAt(0) as FileDiff["status"]
    const isMoved = status === "R"
    const [one, other] = [fields[at + 1], fields[at + 2]] as GitPath[]
    files.push({ status, path: (isMoved ? other : one)!, oldPath: isMoved ? one : undefined })
    if (isMoved) at += 1
  }
  return files.map((file) => {
    const [added, removed] = (fields[at] ?? "").split("\t", 2)
    at += file.oldPath === undefined ? 1 : 3 // a rename has both paths after it
    assert(removed !== undefined, "git counts each file that it lists")
    return { ...file, added: count(added), removed: count(removed) }
  })
}

const count = (text: string | undefined): number | undefined =>
  text === undefined || text === "-" ? undefined : Number(text)

export type DiffText = {
  readonly text: string
  /** There was more; the text ends with a whole line. */
  readonly truncated: boolean
}

const PATCH = ["-r", "--patch", "--find-renames", "--no-color", "--no-ext-diff", "--no-textconv"]
/** Overrides the user's settings, so that the text can be applied. */
const PREFIXES = ["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--submodule=short"]

/** A patch; of binary files it says only that they differ. No program of the user's runs. */
export async function readDiff(
  cwd: string,
  { from, to, bytesMax }: { readonly from: Oid; readonly to: Oid; readonly bytesMax: number },
): Promise<DiffText> {
  const args = ["diff-tree", ...PATCH, ...PREFIXES, "--ignore-submodules=none", from, to, "--"]
  const result = await git(cwd, args, { cutAtBytes: bytesMax })
  if (!result.cut) return { text: stdoutText(result), truncated: false }
  const whole = result.stdout.slice(0, result.stdout.lastIndexOf("\n") + 1)
  return { text: stdoutText({ stdout: whole }), truncated: true }
}
