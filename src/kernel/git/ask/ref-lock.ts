/**
 * Why git refused to move a ref: from the repository and the file system, not from git's messages.
 */
import { existsSync } from "node:fs"
import type { Oid, RefName } from "../../../base/ids.ts"
import { gitPaths, readCommit } from "./rev-parse.ts"

export type RefRefused =
  /** The ref is at another commit. `actual` is undefined if it does not exist. */
  | { readonly kind: "stale"; readonly actual: Oid | undefined }
  /** A lock file exists: another git is at work, or one died and left it. */
  | { readonly kind: "locked" }

/** @returns undefined if neither is true (any more). */
export async function whyRefused(
  cwd: string,
  ref: RefName,
  from: Oid | null,
): Promise<RefRefused | undefined> {
  const actual = await readCommit(cwd, ref)
  if (actual !== (from ?? undefined)) return { kind: "stale", actual }
  return (await listRefLocks(cwd, ref)).length > 0 ? { kind: "locked" } : undefined
}

/** Git makes the second one under the first, and refuses to write over one that a dead git left. */
const PACKED = ["packed-refs.lock", "packed-refs.new"]

/** The lock files that keep a ref from moving now; absolute paths. */
export async function listRefLocks(cwd: string, ref: RefName): Promise<string[]> {
  const files = [`${ref}.lock`, "HEAD.lock", ...PACKED, "reftable/tables.list.lock"]
  return (await gitPaths(cwd, files)).filter((lock) => existsSync(lock))
}
