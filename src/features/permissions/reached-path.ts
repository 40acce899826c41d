/** Where a path leads through symbolic links, also if the file is not there yet. */
import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** As of the kernel: links beyond these make a circle. */
const LINKS_MAX = 40

/**
 * @param path absolute, or relative to `cwd`. Its `..` come after links, as for the kernel.
 * @returns a path without links, but that `cwd` stays as it is written; undefined: it leads nowhere.
 */
export function reachedPath(path: string, cwd: string): string | undefined {
  const reached = follow(path.startsWith("/") ? path : `${cwd}/${path}`, 0)
  const own = real(cwd)
  if (reached === undefined || own === undefined) return reached
  return `${reached}/`.startsWith(`${own}/`) ? cwd + reached.slice(own.length) : reached
}

function follow(path: string, links: number): string | undefined {
  const whole = real(path)
  if (whole !== undefined || path === "/") return whole
  const folder = follow(dirname(path), links)
  if (folder === undefined) return undefined
  const to = linkAt(join(folder, basename(path)))
  if (to === undefined) return join(folder, basename(path))
  if (links === LINKS_MAX) return undefined
  // Not resolved here: its `..` may follow a link.
  return follow(to.startsWith("/") ? to : `${folder}/${to}`, links + 1)
}

function real(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** A link may lead to a file that a write will make. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
