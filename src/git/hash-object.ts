/** `git hash-object`: writes an object, attached to nothing. */
import type { Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

/** @param raw the whole commit object, one char per raw byte. */
export async function writeCommitObject(cwd: string, raw: string): Promise<Oid> {
  const stdin = Buffer.from(raw, "latin1")
  return (
    await git(cwd, ["hash-object", "-t", "commit", "-w", "--stdin"], { stdin })
  ).stdout.trim() as Oid
}
