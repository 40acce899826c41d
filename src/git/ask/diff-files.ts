/** `git diff-tree --numstat`: how many lines differ in each file between two commits. */
import { assert } from "../../core/assert.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

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

const ARGS = ["-r", "-z", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-relative"]

export async function listFileDiffs(cwd: string, from: Oid, to: Oid): Promise<FileDiff[]> {
  const args = ["diff-tree", ...ARGS, "--ignore-submodules=none", "--raw", "--numstat", from, to]
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
