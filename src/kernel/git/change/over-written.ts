/**
 * Lets a checkout move over files that git calls changed in every fresh checkout (ask/as-written.ts).
 *
 * Git refuses to overwrite them, and neither a refresh nor a stash helps. So both the index and the tree that the move
 * starts from get the file as git reads it from the disk. No byte of it belongs to a person.
 */
import { join } from "node:path"
import { makeScratch } from "../../process/scratch-folder.ts"
import { type Differing, readDiffering } from "../ask/as-written.ts"
import { listChanges } from "../ask/diff-tree.ts"
import { listStaged } from "../ask/ls-files.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import type { TreeMove } from "./read-tree.ts"
import { writeIndexInfo } from "./update-index.ts"
import { writeTree } from "./write-tree.ts"

/** @param indexFile a copy, which changes. @returns undefined if there is no such file in its way. */
export async function moveOverWritten(
  cwd: string,
  { from, to }: TreeMove,
  indexFile: string,
): Promise<TreeMove | undefined> {
  const env = indexEnv(indexFile)
  const { asWritten } = await readDiffering(cwd, [], { env })
  if (asWritten.length === 0) return undefined
  const changes = new Map((await listChanges(cwd, from, to)).map((change) => [change.path, change]))
  // Anything else in the index is what a person has staged.
  const isCommitted = ({ path, mode, oid }: Differing["asWritten"][number]) =>
    changes.get(path)?.oldOid === oid && changes.get(path)?.oldMode === mode
  const paths = asWritten.filter(isCommitted).map(({ path }) => path)
  if (paths.length === 0) return undefined
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  await git(cwd, ["update-index", "-z", "--stdin"], { env, stdin })
  const entries = await listStaged(cwd, { indexFile })
  using scratch = makeScratch()
  const start = { indexFile: join(scratch.path, "index") }
  await git(cwd, ["read-tree", from], { env: indexEnv(start.indexFile) })
  await writeIndexInfo(
    cwd,
    paths.flatMap((path) => entries.get(path) ?? []),
    start,
  )
  return { from: await writeTree(cwd, start), to }
}
