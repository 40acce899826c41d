/** Refs that one worktree has for itself: they go with it. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { RefName } from "../../core/ids.ts"
import { gitDir } from "../repository/rev-parse.ts"
import { commonDirOf } from "../worktrees/git-dir.ts"
import { listRefs } from "./for-each-ref.ts"
import { areRefsFiles } from "./head-file.ts"

const PREFIXES = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"]

/** Of the linked worktree whose root is `cwd`. Where refs are files, git is asked only if it has any. */
export async function listOwnRefs(cwd: string): Promise<RefName[]> {
  const dir = await gitDir(cwd)
  const areFiles = areRefsFiles(commonDirOf(dir)) // these are never packed
  if (areFiles && !PREFIXES.some((prefix) => hasEntries(join(dir, prefix)))) return []
  return (await listRefs(cwd, ...PREFIXES)).map(({ ref }) => ref)
}

const hasEntries = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0
