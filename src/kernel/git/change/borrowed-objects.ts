/**
 * `git pack-objects`: copies what a commit needs into the repository's own object store.
 *
 * An agent can make git borrow objects from its own folder (`objects/info/alternates`). Landed work
 * must survive that folder. A repository whose user set up alternates keeps them.
 */
import { join } from "node:path"
import type { Oid } from "../../../base/ids.ts"
import { readPlain } from "../../process/plain-file.ts"
import { gitDir } from "../ask/rev-parse.ts"
import { git } from "../start/exec.ts"
import { commonDirOf } from "../start/git-dir.ts"

/**
 * @param from is present already, with its history. Does nothing if the repository borrows nothing.
 */
export async function ownObjects(
  cwd: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<void> {
  const objects = join(commonDirOf(await gitDir(cwd)), "objects")
  const borrows = readPlain(join(objects, "info/alternates"))?.toString().trim()
  if (!borrows) return
  const args = ["pack-objects", "--quiet", "--revs", join(objects, "pack/pack")]
  await git(cwd, args, { stdin: `${to}\n^${from}\n` })
}
