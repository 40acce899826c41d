/** `git cat-file`: the content of objects, as stored or as a checkout would write it. */
import { join } from "node:path"
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { indexEnv } from "../start/environment.ts"
import { OutputTooLongError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { joinBytes } from "../start/git-path.ts"
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
 * @param names ids, or an id with the path of a folder in it.
 * @returns in the order asked, one char per raw byte; undefined if there is no such tree.
 */
export async function readTreeContents(
  cwd: string,
  names: readonly string[],
): Promise<(string | undefined)[]> {
  const found = await askObjects(cwd, contentsOf(names))
  const contents: (string | undefined)[] = []
  for (const [n, name] of names.entries()) {
    const object = found[n] ?? (await fetchObject(cwd, name))
    contents.push(object?.type === "tree" ? object.content : undefined)
  }
  return contents
}

const contentsOf = (names: readonly string[]) =>
  names.map((name) => ({ verb: "contents", name }) as const)

/**
 * Reads with a separate git, which fetches objects that a partial clone lacks. @returns undefined
 * if there is none.
 */
async function fetchObject(
  cwd: string,
  name: string,
): Promise<{ readonly type: string; readonly content: string } | undefined> {
  const { stdout } = await git(cwd, ["cat-file", "--batch"], { stdin: `${name}\n` })
  const [header = "", type, size] = /^[0-9a-f]+ ([a-z]+) (\d+)\n/.exec(stdout) ?? []
  if (type === undefined) return undefined
  return { type, content: stdout.slice(header.length, header.length + Number(size)) }
}

/**
 * The bytes that a checkout writes for this blob at this path: line ends and filters applied, as
 * they are configured here; of a symbolic link, its target.
 */
export async function readFiltered(cwd: string, oid: Oid, path: GitPath): Promise<Buffer> {
  const stdin = Buffer.from(`${oid} ${path}\0`, "latin1")
  try {
    const { stdout } = await git(cwd, ["cat-file", "--batch", "--filters", "-z"], { stdin })
    return Buffer.from(stdout.slice(stdout.indexOf("\n") + 1, -1), "latin1")
  } catch (error) {
    if (error instanceof OutputTooLongError) return await readByFile(cwd, oid, path)
    throw error
  }
}

/** For a file larger than our output limit. */
async function readByFile(cwd: string, oid: Oid, path: GitPath): Promise<Buffer> {
  using scratch = makeScratch()
  const env = indexEnv(join(scratch.path, "index"))
  const entry = Buffer.from(`100644 ${oid}\t${path}\0`, "latin1")
  await git(cwd, ["update-index", "-z", "--index-info"], { stdin: entry, env })
  const args = ["checkout-index", "-z", "--stdin", `--prefix=${scratch.path}/`]
  await git(cwd, args, { stdin: Buffer.from(`${path}\0`, "latin1"), env })
  const bytes = await readLarge(joinBytes(scratch.path, path), { follows: false })
  assert(bytes, "git has checked the file out")
  return bytes
}

/** A commit without its message. */
export type Links = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
}

export type Commit = Links & {
  /** The whole commit object, one char per raw byte. */
  readonly raw: string
}

/** @returns the objects that exist and are commits. */
export async function findCommits(cwd: string, oids: readonly Oid[]): Promise<readonly Commit[]> {
  const questions = oids.map((name) => ({ verb: "contents", name }) as const)
  const found = await askObjects(cwd, questions)
  return found.flatMap((object) =>
    object?.type === "commit" ? parseLinks(object.oid, object.content) : [],
  )
}

/** Reads it like git: parents follow the tree line and stand nowhere else; ids in either case. */
export function parseLinks(oid: Oid, raw: string): Commit {
  const header = /^tree ([0-9a-fA-F]+)\n((?:parent [0-9a-fA-F]+\n)*)/.exec(raw)
  assert(header, "git takes it for a commit")
  const [, tree = "", lines = ""] = header.map((text) => text.toLowerCase())
  const parents = lines.split("\n").filter(Boolean)
  const parentOids = parents.map((line) => line.slice("parent ".length) as Oid)
  return { oid, tree: tree as Oid, parents: parentOids, raw }
}
