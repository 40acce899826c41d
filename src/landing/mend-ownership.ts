/** Tells, path by path, whether a cut-off move or somebody else wrote what is in a checkout. */
import { lstat, readFile, readlink } from "node:fs/promises"
import type { GitPath } from "../core/ids.ts"
import { readFiltered } from "../git/cat-file-filtered.ts"
import type { Change } from "../git/diff-tree.ts"
import { joinBytes } from "../git/path.ts"

export type Ownership = {
  /** Bytes that are neither side's: somebody's work. */
  readonly foreign: readonly GitPath[]
  /** Changed by the move, wholly or in part. */
  readonly touched: readonly Change[]
}

export async function readOwnership(
  checkout: string,
  changes: readonly Change[],
): Promise<Ownership> {
  const foreign: GitPath[] = []
  const touched: Change[] = []
  for (const change of changes) {
    const owner = await ownerOf(checkout, change)
    if (owner === "foreign") foreign.push(change.path)
    if (owner === "move") touched.push(change)
  }
  return { foreign, touched }
}

async function ownerOf(
  checkout: string,
  { path, status, oldOid, newOid }: Change,
): Promise<"before" | "move" | "foreign"> {
  const actual = await readOnDisk(checkout, path)
  const before = status === "A" ? undefined : await readFiltered(checkout, oldOid, path)
  if (actual === undefined) return before === undefined ? "before" : "move"
  if (before?.equals(actual)) return "before"
  const after = status === "D" ? undefined : await readFiltered(checkout, newOid, path)
  return after?.subarray(0, actual.length).equals(actual) ? "move" : "foreign"
}

/** The bytes of a file, or the target of a link; undefined where there is neither. */
async function readOnDisk(checkout: string, path: GitPath): Promise<Buffer | undefined> {
  const full = joinBytes(checkout, path)
  const stat = await lstat(full).catch(() => undefined) // absent, or its folder is
  if (stat?.isSymbolicLink()) return readlink(full, { encoding: "buffer" })
  return stat?.isFile() ? readFile(full) : undefined
}
