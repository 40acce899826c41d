/** Ends processes that an earlier daemon left running, before anything new is started. */
import { endTree } from "../process/end-tree.ts"
import type { Db } from "../store/open.ts"
import { listProcesses } from "../store/processes/list.ts"
import { removeProcess } from "../store/processes/remove.ts"

/** Within this time every left-over process is gone, even if it ignores TERM. */
const GRACE_MS = 3_000

/**
 * Usually the dead daemon's guard has done this already. A row's pid may also belong to another
 * process by now; the recorded identity shows that.
 */
export async function endLeftProcesses(db: Db): Promise<void> {
  const left = listProcesses(db)
  await Promise.all(
    left.map(({ pid, identity, mark, cgroup }) =>
      endTree({ pid, identity, mark, cgroup }, GRACE_MS),
    ),
  )
  for (const { pid } of left) removeProcess(db, pid)
}
