/** `git cat-file --filters`: a file's content as a checkout would write it. */
import type { GitPath, Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

/**
 * The bytes that a checkout writes for this blob at this path: line ends and filters applied, as
 * they are configured here; of a symbolic link, its target.
 */
export async function readFiltered(cwd: string, oid: Oid, path: GitPath): Promise<Buffer> {
  const stdin = Buffer.from(`${oid} ${path}\0`, "latin1")
  const { stdout } = await git(cwd, ["cat-file", "--batch", "--filters", "-z"], { stdin })
  return Buffer.from(stdout.slice(stdout.indexOf("\n") + 1, -1), "latin1")
}
