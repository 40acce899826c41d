/**
 * Finds files that git calls changed although they are exactly as a checkout writes them.
 *
 * Git takes a file through line-end rules and filters, and compares the result with the commit. Some files never come back
 * as they were committed: CRLF in a file that is `text`, an expanded `$Id$`, a filter that works one way. Each fresh
 * checkout has them changed, so such a change is no one's work.
 */
import { lstatSync } from "node:fs"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { type GitOptions, git } from "../start/exec.ts"
import { joinBytes, splitZ } from "../start/git-path.ts"

/** `env` names the index. @see https://git-scm.com/docs/gitattributes */
export type WrittenOptions = Pick<GitOptions, "env" | "settings">
/** A plain file as the index has it. */
export type Written = { readonly path: GitPath; readonly oid: Oid }

const CONVERTING = ["text", "eol", "crlf", "ident", "filter", "working-tree-encoding"]
/** With `auto`, git leaves line ends alone that would not come back. */
const NOT_CONVERTING = ["unset", "auto"]
/** Larger files are compared as they were stored alone: a filter may fetch one from elsewhere, and write it. */
const WRITTEN_BYTES_MAX = 16 * 1024 * 1024

export type Differing = {
  /** Tracked files that differ from the index, without those that are as a checkout writes them. */
  readonly edited: readonly GitPath[]
  readonly asWritten: readonly (Written & { readonly mode: string })[]
}

/** `git diff-files`, which compares the worktree with the index. @param specs pathspecs. */
export async function readDiffering(
  root: string,
  specs: readonly string[],
  options: WrittenOptions = {},
): Promise<Differing> {
  const args = ["diff-files", "--ignore-submodules=all", "--raw", "--no-abbrev", "-z", "--"]
  const fields = splitZ((await git(root, [...args, ...specs], options)).stdout)
  const all = fields.flatMap((text, at) => (at % 2 === 0 ? parse(text, fields[at + 1]) : []))
  const files = all.filter(({ isFile }) => isFile)
  const written = await listAsWritten(root, files, options)
  const edited = all.map(({ path }) => path).filter((path) => !written.has(path))
  return { edited, asWritten: files.filter(({ path }) => written.has(path)) }
}

/** @param text `:<mode> <mode on disk> <id> <id> <letter>`. */
function parse(text: string, path = "") {
  const [mode = "", onDisk, oid] = text.slice(1).split(" ")
  const isFile = mode.startsWith("100") && mode === onDisk
  return { path: path as GitPath, oid: oid as Oid, mode, isFile }
}

/** @param root of the worktree. @param files whose mode on disk is that of the index. */
export async function listAsWritten(
  root: string,
  files: readonly Written[],
  options: WrittenOptions = {},
): Promise<ReadonlySet<GitPath>> {
  const found = new Set<GitPath>()
  const converted = await withConversion(root, files, options)
  if (converted.length === 0) return found
  const stored = await listAsStored(root, converted, options)
  const rest = converted.map(({ path }) => path).filter((path) => !stored.has(path))
  using scratch = makeScratch()
  const small = rest.filter((path) => (sizeOf(root, path) ?? Infinity) <= WRITTEN_BYTES_MAX)
  const args = ["checkout-index", "--quiet", "-z", "--stdin", `--prefix=${scratch.path}/`]
  // A filter that fails leaves its file as git sees it.
  if (small.length > 0)
    await git(root, args, { ...options, stdin: lines(small), answers: [0, 1, 128] })
  for (const path of small) if (await isSame(root, scratch.path, path)) found.add(path)
  return new Set([...stored, ...found])
}

async function withConversion(
  root: string,
  files: readonly Written[],
  options: WrittenOptions,
): Promise<readonly Written[]> {
  if (files.length === 0) return files
  const stdin = lines(files.map(({ path }) => path))
  const { stdout } = await git(root, ["check-attr", "-z", "--stdin", "--all"], {
    ...options,
    stdin,
  })
  const fields = splitZ(stdout)
  const converted = new Set<string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name = "", value = ""] = fields.slice(at, at + 3)
    if (CONVERTING.includes(name) && !NOT_CONVERTING.includes(value)) converted.add(path)
  }
  return files.filter(({ path }) => converted.has(path))
}

/** Byte for byte, as where a file was committed before a filter covered it. */
async function listAsStored(root: string, files: readonly Written[], options: WrittenOptions) {
  // One path per line. Git would stop at a path that is not there.
  const there = files.filter(({ path }) => !path.includes("\n") && sizeOf(root, path) !== undefined)
  const stdin = Buffer.from(there.map(({ path }) => `./${path}\n`).join(""), "latin1")
  const args = ["hash-object", "--no-filters", "--stdin-paths"]
  const { stdout } = await git(root, args, { ...options, stdin, answers: [0, 128] })
  const oids = stdout.split("\n")
  return new Set(there.filter(({ oid }, at) => oid === oids[at]).map(({ path }) => path))
}

async function isSame(root: string, scratch: string, path: GitPath): Promise<boolean> {
  const written = sizeOf(scratch, path)
  if (written === undefined || written !== sizeOf(root, path)) return false
  const [one, other] = await Promise.all(
    [scratch, root].map((folder) => readLarge(joinBytes(folder, path), { follows: false })),
  )
  return one !== undefined && other !== undefined && one.equals(other)
}

/** @returns undefined if it is no plain file. */
function sizeOf(folder: string, path: GitPath): number | undefined {
  const found = lstatSync(joinBytes(folder, path), { throwIfNoEntry: false })
  return found?.isFile() ? found.size : undefined
}

const lines = (paths: readonly GitPath[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
