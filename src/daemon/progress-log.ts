/**
 * Writes down what agents say they do, many in one transaction: every commit waits for the disk, and
 * a fleet says more in a second than a disk commits.
 *
 * Of what one agent says in that time the last counts. Progress that was not written when the
 * daemon dies, or the turn ends, is gone: it was about then, and the agent's last words stay its last.
 */
import { isTransient } from "../core/errors.ts"
import type { TaskId } from "../core/ids.ts"
import type { World } from "../core/world.ts"
import { appendEvent } from "../store/events/append.ts"
import type { Db } from "../store/open.ts"
import { transaction } from "../store/sql.ts"
import { setMessage } from "../store/tasks/set-message.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"

/** Short enough to look live. */
const FLUSH_MS = 25

export class ProgressLog {
  readonly #db: Db
  readonly #world: World
  readonly #waiting = new Map<TaskId, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, world: World) {
    this.#db = db
    this.#world = world
  }

  note(task: TaskId, text: string): void {
    this.#waiting.set(task, text)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, FLUSH_MS)
  }

  /** Writes what waits; what is said from now on is not written any more. */
  end(): void {
    clearTimeout(this.#timer)
    this.#flush()
  }

  #flush(): void {
    const noted = [...this.#waiting]
    this.#waiting.clear()
    if (noted.length === 0) return
    try {
      transaction(this.#db, () => {
        const nowMs = this.#world.nowMs()
        for (const [task, text] of noted) {
          if (!findOpenTurn(this.#db, task)) continue
          setMessage(this.#db, task, text)
          appendEvent(this.#db, { type: "task.progress", task, data: { text } }, nowMs)
        }
      })
    } catch (error) {
      if (!isTransient(error)) throw error // the disk is full: what was said then is not news later
    }
  }
}
