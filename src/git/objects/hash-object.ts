/** `git hash-object`: writes an object, attached to nothing. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

/** As it is: commits of others may hold what newer gits refuse to write without `--literally`. */
const ARGS = ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"]

/** @param raw the whole commit object, one char per raw byte. */
export async function writeCommitObject(cwd: string, raw: string): Promise<Oid> {
  const stdin = Buffer.from(raw, "latin1")
  return (await git(cwd, ARGS, { stdin })).stdout.trim() as Oid
}
