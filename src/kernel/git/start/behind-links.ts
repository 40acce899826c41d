/** Finds paths below a symbolic link that replaced one of their folders. */
import { lstatSync } from "node:fs"
import type { GitPath } from "../../../base/ids.ts"
import { ifExists } from "./git-dir.ts"
import { joinBytes } from "./git-path.ts"

/** @returns the paths that git refuses to read, because they lie behind a link. */
export function listPathsBehindLinks(root: string, paths: readonly GitPath[]): GitPath[] {
  const known = new Map<string, boolean>([["", false]])
  const isBehind = (folder: string): boolean => {
    const found = known.get(folder)
    if (found !== undefined) return found
    const answer = isBehind(above(folder)) || isLink(root, folder as GitPath)
    known.set(folder, answer)
    return answer
  }
  return paths.filter((path) => isBehind(above(path.replace(/\/$/, ""))))
}

const above = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

function isLink(root: string, folder: GitPath): boolean {
  const found = ifExists(() => lstatSync(joinBytes(root, folder)))
  return found?.isSymbolicLink() ?? false // missing: git reports it itself
}
