/** Reads, without git, how a repository stores its refs. */
import { existsSync, lstatSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { readPlain } from "../../process/plain-file.ts"
import { ifExists } from "../start/git-dir.ts"

/** Whether a ref is symbolic. A symbolic ref is always a loose file, or a link. */
export function isSymbolic(file: string): boolean {
  const found = lookAt(file)
  if (!found || found.isDirectory()) return false
  if (found.isSymbolicLink()) return true
  return readPlain(file, { found })?.toString("latin1").startsWith("ref:") ?? false
}

/** Undefined if there is no such file, or a file replaces its folder. */
const lookAt = (file: string): Stats | undefined =>
  ifExists(() => lstatSync(file, { throwIfNoEntry: false }))

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
