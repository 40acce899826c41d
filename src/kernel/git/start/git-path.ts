/** Paths as git knows them: raw bytes, one char each, so that names that are not UTF-8 survive. */
import { isUtf8 } from "node:buffer"
import type { GitPath } from "../../../base/ids.ts"

/** The bytes of a path, relative to the root of the tree. */
export function pathBytes(path: GitPath): Buffer {
  return Buffer.from(path, "latin1")
}

/** The absolute path of `path` under `root`, for calls to the file system. */
export function joinBytes(root: string, path: GitPath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, "utf8"), pathBytes(path)])
}

/** A path for people: as UTF-8, with `\xNN` for control characters and for bytes that are not UTF-8. */
export function displayPath(path: GitPath): string {
  const bytes = pathBytes(path)
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/[\x00-\x1f\x7f]/g, escapeChar)
  return path.replace(/[^\x20-\x7e]/g, escapeChar)
}

/** The folders above a path, outermost first; not the root. */
export function parentsOf(path: GitPath): GitPath[] {
  const parts = path.split("/").slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join("/") as GitPath)
}

export function gitPath(text: string): GitPath {
  return Buffer.from(text, "utf8").toString("latin1") as GitPath
}

/** Splits output of `-z`. */
export function splitZ(stdout: string): string[] {
  return stdout.split("\0").slice(0, -1)
}

const escapeChar = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`
