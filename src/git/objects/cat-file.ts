/** `git cat-file`: the content of objects. */

import { assert } from "../../core/assert.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { askObjects } from "./object-reader.ts"

/** Room for the line that git puts before the content. */
const HEADER_BYTES_MAX = 128

/**
 * The content of a file as it is in a commit, or undefined when there is none. Symbolic links are
 * followed inside the tree; what lies outside it does not exist.
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
  const asked = await askObjects(
    cwd,
    oids.map((name) => ({ verb: "contents", name })),
  )
  const found = asked?.flatMap((object) => (object ? [object.content] : []))
  if (found && found.length === oids.length) return found
  const { stdout } = await git(cwd, ["cat-file", "--batch"], { stdin: `${oids.join("\n")}\n` })
  const contents: string[] = []
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf("\n", at)
    const size = Number(stdout.slice(at, end).split(" ")[2])
    assert(Number.isInteger(size), "an object that git listed exists")
    contents.push(stdout.slice(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  assert(contents.length === oids.length, "cat-file answers once for each object")
  return contents
}

/**
 * The contents of tree objects, which a hand-made tree may name although they were never written.
 *
 * @returns in the order asked, one char per raw byte; undefined where there is none, or something else.
 */
export async function readTreeContents(
  cwd: string,
  oids: readonly Oid[],
): Promise<(string | undefined)[]> {
  const asked = await askObjects(
    cwd,
    oids.map((name) => ({ verb: "contents", name })),
  )
  const contents: (string | undefined)[] = []
  for (const [n, oid] of oids.entries()) {
    const found = asked?.[n]
    if (found) contents.push(found.type === "tree" ? found.content : undefined)
    else contents.push(await readTreeByGit(cwd, oid)) // it may be very large, or have to be fetched
  }
  return contents
}

async function readTreeByGit(cwd: string, oid: Oid): Promise<string | undefined> {
  const { exitCode, stdout } = await git(cwd, ["cat-file", "tree", oid], { answers: [0, 128] })
  return exitCode === 0 ? stdout : undefined
}
