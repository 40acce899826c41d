/**
 * Notices when a person's program with an attached conversation has ended, however it ended, and
 * lets the task go on.
 */
import { rmSync } from "node:fs"
import type { TaskId } from "../../base/ids.ts"
import type { FleetRows, Home } from "../../kernel/home.ts"
import { listAttachedTasks } from "../../kernel/tasks/rows/attached.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { attachmentsFolder, endAttachment } from "./attach.ts"

/** `coppice attach` reports its own end; this is for one that was killed. */
const POLL_MS = 2_000

/**
 * Checks at start, for conversations that an earlier daemon left attached, and regularly after
 * that.
 */
export function watchAttachments(
  fleet: FleetRows & Pick<Home, "stateDir">,
  onError: (task: TaskId, error: unknown) => void,
): { start(): void; stop(): void } {
  const look = () => {
    for (const id of listAttachedTasks(fleet.db)) {
      try {
        const task = findTask(fleet.db, id)
        if (task?.attached) endAttachment(fleet, task, task.attached)
      } catch (error) {
        onError(id, error)
      }
    }
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start: () => {
      look()
      if (listAttachedTasks(fleet.db).length === 0)
        rmSync(attachmentsFolder(fleet), { recursive: true, force: true }) // files of programs from earlier
      timer = setInterval(look, POLL_MS).unref()
    },
    stop: () => clearInterval(timer),
  }
}
