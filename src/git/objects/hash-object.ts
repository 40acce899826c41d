/** `git hash-object`: writes objects, attached to nothing. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { makeScratch } from "../../process/scratch.ts"
import { git } from "../exec.ts"

/** @param raw the whole commit object, one char per raw byte. */
export async function writeCommitObject(cwd: string, raw: string): Promise<Oid> {
  const stdin = Buffer.from(raw, "latin1")
  return (
    await git(cwd, ["hash-object", "-t", "commit", "-w", "--stdin"], { stdin })
  ).stdout.trim() as Oid
}

/** Many in one process. @param raws whole objects, those that are named by others first. */
export async function hashObjects(
  cwd: string,
  type: "commit" | "tree",
  raws: readonly string[],
): Promise<void> {
  if (raws.length === 0) return
  using scratch = makeScratch()
  const paths = raws.map((_, n) => join(scratch.path, String(n)))
  await Promise.all(raws.map((raw, n) => writeFile(join(scratch.path, String(n)), raw, "latin1")))
  const args = ["hash-object", "-t", type, "-w", "--no-filters", "--stdin-paths"]
  await git(cwd, args, { stdin: `${paths.join("\n")}\n` })
}
