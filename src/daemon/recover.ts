/** Ends what an earlier daemon left running, before anything new is started. */
import { endTree } from "../process/end-tree.ts"
import type { Db } from "../store/open.ts"
import { listProcesses } from "../store/processes/list.ts"
import { removeProcess } from "../store/processes/remove.ts"

/** Within this time every left-over process is gone, whatever it does about TERM. */
const GRACE_MS = 3_000

/**
 * The guard of the dead daemon has usually done this already; a row is also of a process whose pid
 * belongs to somebody else by now, which its identity tells.
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
