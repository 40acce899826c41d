/** How much room worktrees take: measured by another process, and remembered for a while. */
import { measureFolder } from "../../process/disk-use.ts"
import type { Db } from "../../store/open.ts"
import { transaction } from "../../store/sql.ts"
import { forgetWorktreeSize } from "../../store/worktree-sizes/forget.ts"
import { listWorktreeSizes } from "../../store/worktree-sizes/list.ts"
import { recordWorktreeSize, type WorktreeSize } from "../../store/worktree-sizes/record.ts"

/** An agent's worktree grows; a budget of gigabytes need not know by how much since. */
const SIZE_AGE_MS_MAX = 60 * 60_000
/** Of measuring in all; what is not measured by then is not known. */
const MEASURE_MS_MAX = 20_000
/** As many as a disk does well at once. */
const AT_ONCE = 2

/** @param paths of worktrees that are there. @returns those whose size is known, in bytes. */
export async function measureWorktrees(
  db: Db,
  paths: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, WorktreeSize>> {
  const known = new Map(listWorktreeSizes(db).map((size) => [size.path, size]))
  const isFresh = (path: string) => nowMs - (known.get(path)?.atMs ?? 0) < SIZE_AGE_MS_MAX
  const wanted = paths.filter((path) => !isFresh(path))
  const endMs = performance.now() + MEASURE_MS_MAX
  const measureNext = async (): Promise<void> => {
    const path = wanted.shift()
    if (path === undefined || performance.now() > endMs) return
    const bytes = await measureFolder(path)
    if (bytes !== undefined) {
      const size = { path, bytes, atMs: nowMs }
      known.set(path, size)
      recordWorktreeSize(db, size)
    }
    await measureNext()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, measureNext))
  const asked = new Set(paths)
  return new Map([...known].filter(([path]) => asked.has(path)))
}

/** Forgets the sizes of all but these. */
export function forgetOtherSizes(db: Db, paths: ReadonlySet<string>): void {
  const gone = listWorktreeSizes(db).filter(({ path }) => !paths.has(path))
  if (gone.length === 0) return
  transaction(db, () => {
    for (const { path } of gone) forgetWorktreeSize(db, path)
  })
}
