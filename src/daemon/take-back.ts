/** Takes conversations back from people whose programs have ended, however they ended. */
import { rmSync } from "node:fs"
import type { TaskId } from "../core/ids.ts"
import { findTask } from "../store/tasks/find.ts"
import { listAttachedTasks } from "../store/tasks/list-attached.ts"
import { attachmentsFolder, takeBack } from "./actions/attach.ts"
import type { Fleet, FleetRows } from "./fleet.ts"

/** `coppice attach` says itself when it is over: this is for what was killed. */
const LOOK_MS = 2_000

/** Looks at the start, at those whom an earlier daemon has left, and from then on. */
export function takingBack(
  fleet: FleetRows & Pick<Fleet, "stateDir">,
  onError: (task: TaskId, error: unknown) => void,
): { start(): void; stop(): void } {
  const look = () => {
    for (const id of listAttachedTasks(fleet.db)) {
      try {
        const task = findTask(fleet.db, id)
        if (task?.attached) takeBack(fleet, task, task.attached)
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
        rmSync(attachmentsFolder(fleet), { recursive: true, force: true }) // what programs of earlier said
      timer = setInterval(look, LOOK_MS).unref()
    },
    stop: () => clearInterval(timer),
  }
}
