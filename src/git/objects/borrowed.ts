/**
 * `git pack-objects`: copies what a commit needs into the repository's own object store.
 *
 * An agent can have git borrow objects from a folder of its own (`objects/info/alternates`). What
 * lands must not go with that folder. A repository that the user lets borrow stays as it is.
 */
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { readPlain } from "../../process/plain-file.ts"
import { git } from "../exec.ts"
import { gitPaths } from "../repository/rev-parse.ts"

/** @param from is there already, with its history. Does nothing where none is borrowed. */
export async function ownObjects(
  cwd: string,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<void> {
  const [objects] = await gitPaths(cwd, ["objects"])
  const borrows = objects && readPlain(join(objects, "info/alternates"))?.toString().trim()
  if (!objects || !borrows) return
  const args = ["pack-objects", "--quiet", "--revs", join(objects, "pack/pack")]
  await git(cwd, args, { stdin: `${to}\n^${from}\n` })
}
