/**
 * HEAD of a linked worktree, written as git writes it: under its lock, by one rename.
 *
 * `git switch` does the same, and starts a process for it; a worktree that waits for a task is
 * handed over without. Neither index nor files change: HEAD goes to what they are of already. Where
 * refs are kept in tables HEAD is no file: ask head-file.ts first.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"

/** @param head a branch's full name, or the commit to be detached at. @returns `locked`: nothing changed. */
export function writeHead(gitDir: string, head: Oid | RefName): "written" | "locked" {
  const path = join(gitDir, "HEAD")
  const lock = `${path}.lock`
  try {
    writeFileSync(lock, head.startsWith("refs/") ? `ref: ${head}\n` : `${head}\n`, { flag: "wx" })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "locked"
    throw error
  }
  renameSync(lock, path)
  return "written"
}
