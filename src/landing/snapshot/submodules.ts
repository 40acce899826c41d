/** Finds commits of submodules that would exist nowhere once the worktree is removed. */
import { existsSync } from "node:fs"
import type { GitPath, Oid } from "../../core/ids.ts"
import { listChanges } from "../../git/diff-tree.ts"
import { joinBytes } from "../../git/path.ts"
import { hasUnpushed } from "../../git/unpushed.ts"

const SUBMODULE = "160000"

/** Submodules that the work moved, and nested repositories that were committed as if they were. */
export async function findUnpushedSubmodules(
  worktree: string,
  base: Oid,
  head: Oid,
): Promise<GitPath[]> {
  const changes = base === head ? [] : await listChanges(worktree, base, head)
  const unpushed: GitPath[] = []
  for (const { path, newMode } of changes) {
    if (newMode !== SUBMODULE) continue
    const folder = joinBytes(worktree, path).toString("utf8")
    if (existsSync(`${folder}/.git`) && (await hasUnpushed(folder))) unpushed.push(path)
  }
  return unpushed
}
