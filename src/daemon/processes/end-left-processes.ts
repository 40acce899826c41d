/** Ends the processes that an earlier daemon left running, before this one starts any. */

import { endTree } from "../../process/end-tree.ts"
import type { Db } from "../../store/open.ts"
import { listProcesses, removeProcess } from "../../store/processes.ts"

/** A process that ignores TERM is killed after this time. */
const GRACE_MS = 3_000

/**
 * Usually the dead daemon's guard has done this already. Another program may have the pid by now: the
 * recorded identity shows that, and we leave that program alone.
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
