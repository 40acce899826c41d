/** Paths as arguments of git that select files. */
import { isUtf8 } from "node:buffer"
import type { GitPath } from "../../../base/ids.ts"
import { pathBytes } from "./git-path.ts"

/**
 * A pathspec for `path`, from the root. Arguments of a process are UTF-8 here, so in other names
 * each odd byte stands for any: the pathspec may match a little more than the path.
 */
export function pathspec(path: GitPath): string {
  const bytes = pathBytes(path)
  if (isUtf8(bytes)) return `:(top,literal)${bytes.toString("utf8")}`
  return `:(top,glob)${path.replace(/[*?[\]\\]/g, "\\$&").replace(/[\x80-\xff]/g, "?")}`
}
