/** Reads HEAD from its file, if refs are files. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"

/**
 * Whether the repository with this common git directory keeps each ref in a file, in there.
 *
 * If refs are in tables, or elsewhere (`extensions.refStorage` with an address), git puts a file in
 * the place of the folder `refs/heads`.
 */
export function areRefsFiles(commonDir: string): boolean {
  const branches = statSync(join(commonDir, "refs/heads"), { throwIfNoEntry: false })
  return !branches?.isFile() && !existsSync(join(commonDir, "reftable"))
}

/**
 * Reads HEAD: a commit if detached, else a branch, which need not exist. Undefined if HEAD is
 * neither, or missing.
 */
export function readHeadFile(
  gitDir: string,
): { readonly commit: Oid } | { readonly ref: RefName } | undefined {
  const text = readPlainText(join(gitDir, "HEAD")) ?? ""
  if (/^[0-9a-f]{40,64}\n$/.test(text)) return { commit: text.trimEnd() as Oid }
  const ref = /^ref: (refs\/heads\/.+)\n$/.exec(text)?.[1]
  return ref === undefined ? undefined : { ref: ref as RefName }
}
