/** `git cat-file`: the content of objects. */

import { assert } from "../../core/assert.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { askObjects } from "./object-reader.ts"

/** Room for the line that git puts before the content. */
const HEADER_BYTES_MAX = 128

/**
 * The content of a file as it is in a commit, or undefined when there is none. Follows symbolic
 * links inside the tree; a target outside it counts as missing.
 *
 * @param bytesMax longer content is cut there.
 */
export async function readBlobAt(
  cwd: string,
  commit: Oid,
  path: GitPath,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const { stdout } = await git(cwd, ["cat-file", "--batch", "--follow-symlinks", "-z"], {
    stdin: Buffer.from(`${commit}:${path}\0`, "latin1"),
    cutAtBytes: HEADER_BYTES_MAX + bytesMax,
  })
  const header = /^[0-9a-f]+ blob (\d+)\n/.exec(stdout)
  if (!header) return undefined
  const start = header[0].length
  const length = Math.min(Number(header[1]), bytesMax)
  return Buffer.from(stdout.slice(start, start + length), "latin1")
}

/** The contents of objects that are known to exist, in the order asked, one char per raw byte. */
export async function readObjects(cwd: string, oids: readonly Oid[]): Promise<string[]> {
  const found = await askObjects(cwd, contentsOf(oids))
  const contents: string[] = []
  for (const [n, oid] of oids.entries()) {
    const object = found[n] ?? (await fetchObject(cwd, oid))
    assert(object, "an object that git listed exists")
    contents.push(object.content)
  }
  return contents
}

/**
 * The contents of tree objects, which a hand-made tree may name although they were never written.
 *
 * @returns in the order asked, one char per raw byte; undefined if there is no such tree.
 */
export async function readTreeContents(
  cwd: string,
  oids: readonly Oid[],
): Promise<(string | undefined)[]> {
  const found = await askObjects(cwd, contentsOf(oids))
  const contents: (string | undefined)[] = []
  for (const [n, oid] of oids.entries()) {
    const object = found[n] ?? (await fetchObject(cwd, oid))
    contents.push(object?.type === "tree" ? object.content : undefined)
  }
  return contents
}

const contentsOf = (oids: readonly Oid[]) =>
  oids.map((name) => ({ verb: "contents", name }) as const)

/**
 * Reads with a separate git, which fetches objects that a partial clone lacks. @returns undefined
 * if there is none.
 */
async function fetchObject(
  cwd: string,
  oid: Oid,
): Promise<{ readonly type: string; readonly content: string } | undefined> {
  const { stdout } = await git(cwd, ["cat-file", "--batch"], { stdin: `${oid}\n` })
  const [header = "", type, size] = /^[0-9a-f]+ ([a-z]+) (\d+)\n/.exec(stdout) ?? []
  if (type === undefined) return undefined
  return { type, content: stdout.slice(header.length, header.length + Number(size)) }
}
