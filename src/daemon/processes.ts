/** Records each process of the daemon until nothing of its tree is left, and ends those of a dead daemon. */
import { randomBytes } from "node:crypto"
import { isTransient } from "../base/errors.ts"
import type { World } from "../base/world.ts"
import { endTree } from "../kernel/process/end-tree.ts"
import { type OwnerOptions, ProcessOwner } from "../kernel/process/owner.ts"
import { appendEvent } from "../kernel/store/events.ts"
import type { Db } from "../kernel/store/open.ts"
import { addProcess, listProcesses, removeProcess } from "../kernel/store/processes.ts"
import { transaction } from "../kernel/store/sql.ts"

/** A stale row would delay the clean-up of its task, so we wait while the disk is full. */
const TRY_AGAIN_MS = 1_000

export function createOwner(
  db: Db,
  world: World,
  contain: NonNullable<OwnerOptions["contain"]>,
): ProcessOwner {
  const mark = randomBytes(8).toString("hex")
  return new ProcessOwner({
    mark,
    contain,
    onStart: (started, { purpose, task, session = null }) =>
      addProcess(db, { ...started, purpose, task, session, mark }),
    onExit: (pid) => recordEnd(db, pid, world),
  })
}

/** Appended as an event, because loops wake on commits, and some wait for this very process. */
function recordEnd(db: Db, pid: number, world: World): void {
  if (!db.open) return // the daemon has ended; the next one finds the row, and the process gone
  try {
    transaction(db, () => {
      removeProcess(db, pid)
      appendEvent(db, { type: "process.ended", task: null, data: { pid } }, world.nowMs())
    })
  } catch (error) {
    if (!isTransient(error)) throw error
    setTimeout(() => recordEnd(db, pid, world), TRY_AGAIN_MS).unref()
  }
}

/** A process that ignores TERM is killed after this time. */
const GRACE_MS = 3_000

/**
 * Ends the processes that an earlier daemon left running, before this one starts any.
 *
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
