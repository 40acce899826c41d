/** Removes a worktree of a pool, whole or half made, after saving a person's files in it. */
import { existsSync, rmdirSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Oid } from "../../base/ids.ts"
import type { Repository } from "../../kernel/git/ask/repository.ts"
import { listLost } from "../../kernel/git/ask/rev-list.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { rebuildIndex } from "../../kernel/git/change/read-tree.ts"
import { endFilling } from "../../kernel/workspaces/git-worktree/fill-worktree.ts"
import { tearDownWorktree } from "../../kernel/workspaces/git-worktree/teardown.ts"
import type { WorktreeContext } from "../../kernel/workspaces/git-worktree/worktree-context.ts"
import { clearDeadLocks } from "../../kernel/workspaces/locks/dead-locks.ts"
import { withRepoLock } from "../../kernel/workspaces/locks/repo-lock.ts"
import { isAddCutShort, removeOwnWorktree } from "../../kernel/workspaces/removal.ts"
import { recordRescued } from "../../kernel/workspaces/rows/rescues.ts"
import { forgetWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import { type FoundEntry, inspectEntry } from "./inspect-entry.ts"
import type { Pool } from "./pool.ts"
import type { PoolEntry } from "./rows/list.ts"
import { removePoolEntry } from "./rows/record.ts"
import { hasFiles } from "./stray-files.ts"

/** @param entry one that no task can claim, and in which no process works. */
export async function dropEntry(
  context: WorktreeContext,
  pool: Pool,
  { repository, entry }: { readonly repository: Repository; readonly entry: PoolEntry },
): Promise<void> {
  const { path } = entry
  const found = await inspectEntry(repository, entry)
  if (found && isOfAnotherHome(entry, found)) forgetWorktree(pool.db, path)
  else if (found && found.state !== "theirs") {
    await endFilling(found.dir)
    if (found.state === "locked") await clearLocks(repository, found.dir)
    if (!found.head) await prepareRescue(path, found.dir)
    await tearDown(context, pool, { repository, entry })
  } else if (!found) {
    removeEmpty(path)
    // A removal that was cut off leaves git's record of the worktree, and so does an addition.
    if (!existsSync(path)) await tearDown(context, pool, { repository, entry })
    if (existsSync(path) && isAddCutShort(path))
      await withRepoLock(repository.commonDir, () => removeOwnWorktree(context, repository, path))
  }
  removePoolEntry(pool.db, path)
}

/**
 * A pool fills its worktrees detached. If this home died between its row and the folder, another home
 * may have made the worktree, and a task works there now.
 */
const isOfAnotherHome = ({ state }: PoolEntry, { head }: FoundEntry): boolean =>
  state === "filling" && head?.kind === "branch"

/** Only the pool's own git has worked there. */
async function clearLocks({ root }: Repository, dir: string): Promise<void> {
  await clearDeadLocks(root, (lock) => dirname(lock) === dir)
}

/**
 * An incomplete checkout is saved only if it holds more than that checkout left. An index in a
 * worktree without files would outlive a death here, and make it look like a person's.
 */
async function prepareRescue(worktree: string, dir: string): Promise<void> {
  if ((await readdir(worktree)).every((name) => name === ".git")) return
  const head = await readCommit(worktree, "HEAD")
  if (!head) return
  await rebuildIndex(worktree, head)
  if (!(await hasFiles(worktree))) await rm(join(dir, "index"))
}

/** Work that cannot be saved stays, and the worktree belongs to a person from then on. */
async function tearDown(
  context: WorktreeContext,
  pool: Pool,
  { repository: { root: repo }, entry }: { repository: Repository; entry: PoolEntry },
): Promise<void> {
  const { path: worktree } = entry
  const torn = await tearDownWorktree(context, {
    task: "pool",
    repo,
    worktree,
    branch: undefined,
    before: undefined,
    placed: [],
    safeCommits: await listContained(repo, worktree),
    reason: "its pool removed it",
  })
  recordRescued({ db: pool.db, world: pool }, null, torn.rescued)
}

/** HEAD, unless a person has committed there: then only HEAD leads to those commits. */
async function listContained(repo: string, worktree: string): Promise<readonly Oid[]> {
  const head = existsSync(worktree) ? await readCommit(worktree, "HEAD") : undefined
  return head && (await listLost(repo, [head], [])).size === 0 ? [head] : []
}

/** A folder with anything in it belongs to a person and stays. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // the folder is gone, or in use
  }
}
