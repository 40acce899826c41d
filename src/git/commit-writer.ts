/** `git hash-object --stdin-paths`: writes many objects in one process. */
import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "../core/assert.ts"
import type { Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

const ARGS = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"]

/**
 * The name that a commit object has, written or not: so that a commit can name one as its parent
 * that is yet to be written.
 *
 * @param raw the whole object, one char per raw byte.
 * @param like any object id of the repository: its length tells which hash is in use.
 */
export function commitOid(raw: string, like: Oid): Oid {
  return createHash(like.length === 40 ? "sha1" : "sha256")
    .update(`commit ${raw.length}\0${raw}`, "latin1")
    .digest("hex") as Oid
}

/**
 * Writes commit objects, attached to nothing.
 *
 * @param raws whole objects, one char per raw byte; parents before children.
 */
export async function writeCommits(cwd: string, raws: readonly string[]): Promise<void> {
  if (raws.length === 0) return
  const folder = await mkdtemp(join(tmpdir(), "coppice-commits-"))
  try {
    const paths = raws.map((_, n) => join(folder, String(n)))
    await Promise.all(raws.map((raw, n) => writeFile(join(folder, String(n)), raw, "latin1")))
    const { stdout } = await git(cwd, ARGS, { stdin: `${paths.join("\n")}\n` })
    const [last] = stdout.trimEnd().split("\n").slice(-1) as Oid[]
    const expected = last && commitOid(raws.at(-1) ?? "", last)
    assert(last === expected, "git and we give a commit the same name")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
