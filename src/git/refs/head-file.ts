/** HEAD as a file, and whether it is one. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"

/**
 * Whether the repository with this common git directory keeps each ref in a file, in there.
 *
 * Where refs are in tables, or in another place (`extensions.refStorage` with an address), git puts
 * a file where the folder of branches would be, so that nobody takes it for one.
 */
export function areRefsFiles(commonDir: string): boolean {
  const branches = statSync(join(commonDir, "refs/heads"), { throwIfNoEntry: false })
  return !branches?.isFile() && !existsSync(join(commonDir, "reftable"))
}

/**
 * What HEAD says: a commit when it is detached, else a branch, which need not exist. Undefined
 * where it says neither, or is not there.
 */
export function readHeadFile(
  gitDir: string,
): { readonly commit: Oid } | { readonly ref: RefName } | undefined {
  const text = readPlainText(join(gitDir, "HEAD")) ?? ""
  if (/^[0-9a-f]{40,64}\n$/.test(text)) return { commit: text.trimEnd() as Oid }
  const ref = /^ref: (refs\/heads\/.+)\n$/.exec(text)?.[1]
  return ref === undefined ? undefined : { ref: ref as RefName }
}
