/**
 * HEAD of a linked worktree, written as git writes it: under its lock, by one rename.
 *
 * `git switch` does the same, and starts a process for it; a worktree that waits for a task is
 * handed over without. Neither index nor files change: HEAD goes to what they are of already. Where
 * refs are kept in tables HEAD is no file: ask {@link areRefsFiles} first.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Oid, RefName } from "../core/ids.ts"

/** Whether the repository with this common git directory keeps each ref in a file. */
export function areRefsFiles(commonDir: string): boolean {
  return !existsSync(join(commonDir, "reftable"))
}

/**
 * What HEAD says: a commit when it is detached, else a branch, which need not exist. Undefined
 * where it says neither, or is not there.
 */
export function readHeadFile(
  gitDir: string,
): { readonly commit: Oid } | { readonly ref: RefName } | undefined {
  const path = join(gitDir, "HEAD")
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  if (/^[0-9a-f]{40,64}\n$/.test(text)) return { commit: text.trimEnd() as Oid }
  const ref = /^ref: (refs\/heads\/.+)\n$/.exec(text)?.[1]
  return ref === undefined ? undefined : { ref: ref as RefName }
}

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
