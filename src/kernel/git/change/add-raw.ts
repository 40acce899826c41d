/**
 * Takes files into an index byte for byte, past every filter, line-end rule and encoding.
 *
 * `git hash-object --no-filters` writes the bytes, `git update-index --index-info` names them.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readlinkSync,
  type Stats,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { listPathsBehindLinks } from "../start/behind-links.ts"
import { git } from "../start/exec.ts"
import { joinBytes } from "../start/git-path.ts"
import { addPaths } from "./add.ts"
import { type IndexEntry, writeIndexInfo } from "./update-index.ts"

type Found = { readonly path: GitPath; readonly stats: Stats | undefined }

/**
 * Like {@link addPaths}, but without conversion of content. Runs in the worktree's root.
 *
 * @param indexFile an index other than the worktree's own, absolute.
 */
export async function addRaw(
  cwd: string,
  paths: readonly GitPath[],
  { indexFile }: { readonly indexFile: string },
): Promise<void> {
  const behind = new Set(listPathsBehindLinks(cwd, paths))
  const found = paths.map((path) => ({
    path,
    stats: behind.has(path) ? undefined : look(cwd, path),
  }))
  const gone = found.filter(({ stats }) => stats === undefined)
  const files = found.filter(({ stats }) => stats?.isFile() || stats?.isSymbolicLink())
  const submodules = found.filter(({ stats }) => stats?.isDirectory())
  const oids = await hash(cwd, files)
  const none = "0".repeat(oids[0]?.length ?? 40) as Oid
  const entries: IndexEntry[] = [
    ...gone.map(({ path }) => ({ path, mode: "000000", oid: none })),
    ...files.map(({ path, stats }, n) => ({ path, mode: modeOf(stats), oid: oids[n] ?? none })),
  ]
  await writeIndexInfo(cwd, entries, { indexFile })
  const left = submodules.map(({ path }) => path)
  if (left.length > 0) await addPaths(cwd, left, { indexFile })
}

/** @returns undefined also if a plain folder has replaced the file. */
function look(cwd: string, path: GitPath): Stats | undefined {
  const file = joinBytes(cwd, path)
  try {
    const stats = lstatSync(file)
    const isFolder = stats.isDirectory() && !existsSync(Buffer.concat([file, Buffer.from("/.git")]))
    return isFolder ? undefined : stats
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (["ENOENT", "ENOTDIR"].includes(code)) return undefined
    throw error
  }
}

function modeOf(stats: Stats | undefined): string {
  if (stats?.isSymbolicLink()) return "120000"
  return stats && (stats.mode & 0o100) !== 0 ? "100755" : "100644"
}

/**
 * Git reads one path per line, so the text of a link, or a file with a line break in its name, goes
 * through a scratch file.
 */
async function hash(cwd: string, files: readonly Found[]): Promise<Oid[]> {
  if (files.length === 0) return []
  using scratch = makeScratch()
  const lines = files.map(({ path, stats }, n) => {
    const [file, other] = [joinBytes(cwd, path), join(scratch.path, String(n))]
    if (stats?.isSymbolicLink()) writeFileSync(other, readlinkSync(file, { encoding: "buffer" }))
    else if (path.includes("\n")) copyFileSync(file, other)
    else return Buffer.from(`./${path}\n`, "latin1")
    return Buffer.from(`${other}\n`)
  })
  const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
  const { stdout } = await git(cwd, args, { stdin: Buffer.concat(lines) })
  const oids = stdout.split("\n").filter(Boolean) as Oid[]
  assert(oids.length === files.length, "git hashes each file that it is given")
  return oids
}
