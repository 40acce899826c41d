/** Files in conflict as git leaves them: text in which each conflict stands between markers. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { askObjects, isSharedName } from "../ask/object-reader.ts"

/** An agent that is handed a conflict sees these files whole; it finds the others with git. */
const PATHS_MAX = 16
/** Of one file; a larger one is not read for this. */
const BYTES_MAX = 256 * 1024
/** As far as git looks to tell a binary file. */
const BINARY_CHECK_BYTES = 8_000
/** Git names the commit that it merged, and the path where that is another one; of the base, a part. */
const MARKER = /^(<<<<<<<|\|{7}|>>>>>>>) [0-9a-f]{4,64}(:.*)?$/gm
const NAMES: Readonly<Record<string, string>> = { "<": "target", "|": "base", ">": "yours" }

/**
 * The text, as raw bytes, of each of these paths in a tree that `merge-tree` made, where that is text
 * with markers for certain. The caller has to look closer at the others.
 */
export async function findMarked(
  cwd: string,
  tree: Oid,
  paths: readonly GitPath[],
): Promise<ReadonlyMap<GitPath, string>> {
  const marked = new Map<GitPath, string>()
  if (paths.length === 0 || paths.length > PATHS_MAX) return marked
  const names = paths.map((path) => `${tree}:${path}`)
  if (!names.every(isSharedName)) return marked
  const infos = await askObjects(cwd, asked("info", names))
  if (infos.some((info) => !info || info.sizeBytes > BYTES_MAX)) return marked
  const found = await askObjects(cwd, asked("contents", names))
  for (const [n, path] of paths.entries()) {
    const file = found[n]
    if (file && isMarked(file.content)) marked.set(path, file.content)
  }
  return marked
}

/** With the sides' names as we call them. */
export function renameSides(text: string): string {
  return text.replace(MARKER, (_, marker: string) => `${marker} ${NAMES[marker.charAt(0)]}`)
}

const asked = (verb: "info" | "contents", names: readonly string[]) =>
  names.map((name) => ({ verb, name }))

const isMarked = (text: string): boolean =>
  !text.slice(0, BINARY_CHECK_BYTES).includes("\0") && text.search(MARKER) >= 0
