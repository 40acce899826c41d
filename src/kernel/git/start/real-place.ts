/**
 * Resolves a path that a person named, where agents may have left links on the way.
 *
 * A commit can hold a symbolic link, and it lands in every checkout of its target. So what a name leads
 * to can change after a person approved the name. Here a link leads on unless it lies where agents
 * write: in a checkout of a repository of the home, or of any repository that Coppice works in. That
 * is openat2(2) with RESOLVE_NO_SYMLINKS, from the first such folder on.
 *
 * Between the answer and its use, a landing can still put a link there: Node has no openat2. So a fence
 * compares from inside what it shows (process/fence.ts).
 */
import { existsSync, lstatSync, readlinkSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { UnreadableFileError } from "../../process/errors.ts"
import { commonDirOf, findGitDir, ifExists } from "./git-dir.ts"

export type RealPlace =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "absent" }
  /** This link lies where agents write. */
  | { readonly kind: "refused"; readonly link: string }

/** The lock file in a common git directory: it is there iff Coppice has ever worked there, for any home. */
export const workMark = (commonDir: string): string => join(commonDir, "coppice.lock")

/** As many as Linux follows. */
const LINKS_MAX = 40
/** To us such a path is not there. */
const HIDDEN = ["EACCES", "EPERM"]

/**
 * @param path absolute.
 * @param repos the main worktrees of the home's repositories.
 */
export function findRealPlace(path: string, repos: readonly string[]): RealPlace {
  const parts = path.split("/")
  let at = "/"
  for (let links = 0; parts.length > 0; ) {
    const next = join(at, parts.shift() ?? "") // which takes "", "." and ".." as a walk does
    const found = ifExists(() => lstatSync(next), HIDDEN)
    if (!found) return { kind: "absent" }
    if (!found.isSymbolicLink()) at = next
    else if (isAgents(at, repos)) return { kind: "refused", link: next }
    else if (++links > LINKS_MAX) return { kind: "absent" }
    else {
      const to = readlinkSync(next)
      parts.unshift(...to.split("/"))
      if (isAbsolute(to)) at = "/"
    }
  }
  return { kind: "found", path: at }
}

/** Whether an agent can land what this file says. @param path absolute. */
export function isAgentsFile(path: string): boolean {
  const place = findRealPlace(path, [])
  if (place.kind === "found") return isAgents(dirname(place.path), [])
  return place.kind === "refused" || isAgentsFolder(dirname(path))
}

/** The same of a file that is not there yet, in this folder. */
function isAgentsFolder(folder: string): boolean {
  const place = findRealPlace(folder, [])
  if (place.kind === "found") return isAgents(place.path, [])
  return place.kind === "refused" || isAgentsFolder(dirname(folder))
}

/** Whether work of agents is checked out in this folder or in one around it. */
export function isAgents(folder: string, repos: readonly string[]): boolean {
  const isOwn = repos.some((repo) => `${folder}/`.startsWith(`${repo}/`))
  if (isOwn || isCheckout(folder)) return true
  return folder !== "/" && isAgents(dirname(folder), repos)
}

function isCheckout(folder: string): boolean {
  try {
    const gitDir = findGitDir(folder)
    return gitDir !== undefined && existsSync(workMark(commonDirOf(gitDir)))
  } catch (error) {
    if (error instanceof UnreadableFileError) return true // git could not judge that `.git` either
    throw error
  }
}
