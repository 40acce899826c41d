/**
 * Records what agents report about their progress, many in one transaction: every commit waits for
 * the disk, and a fleet reports more per second than a disk commits.
 *
 * If an agent reports several times in between, only the last is kept. The agent gets its answer
 * when that is on disk.
 */
import type { TaskId } from "../../base/ids.ts"
import type { World } from "../../base/world.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import type { Db } from "../../kernel/store/open.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { setProgress } from "../../kernel/tasks/rows/texts.ts"

/** Short enough to look live. */
const FLUSH_MS = 25
/**
 * Events per turn; a person reads no more, and the disk must not fill. The last one is always kept.
 */
const EVENTS_MAX = 20_000

type Noted = {
  text: string
  /** One for each report of the agent since the last commit. */
  readonly heard: PromiseWithResolvers<boolean>
}

export class ProgressLog {
  readonly #db: Db
  readonly #world: World
  readonly #eventsMax: number
  #waiting = new Map<TaskId, Noted>()
  /** How many events each task's latest turn has had. */
  readonly #told = new Map<TaskId, { readonly turn: number; readonly events: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, world: World, eventsMax = EVENTS_MAX) {
    this.#db = db
    this.#world = world
    this.#eventsMax = eventsMax
  }

  /**
   * @returns when it is written; false if the task had no open turn, so that nothing was written.
   * @throws {StoreError} when it could not be written.
   */
  note(task: TaskId, text: string): Promise<boolean> {
    const noted = this.#waiting.get(task) ?? { text, heard: Promise.withResolvers<boolean>() }
    noted.text = text
    this.#waiting.set(task, noted)
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
    return noted.heard.promise
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#flush()
  }

  #flush(): void {
    this.#timer = undefined
    const noted = [...this.#waiting]
    this.#waiting = new Map()
    if (noted.length === 0) return
    try {
      const written = this.#write(noted)
      for (const [at, [, { heard }]] of noted.entries()) heard.resolve(written[at] === true)
    } catch (error) {
      for (const [, { heard }] of noted) heard.reject(error)
    }
  }

  #write(noted: readonly (readonly [TaskId, Noted])[]): boolean[] {
    return transaction(this.#db, () => {
      const nowMs = this.#world.nowMs()
      return noted.map(([task, { text }]) => this.record(task, text, nowMs))
    })
  }

  /** Event `task.progress`, and a line of the log. @returns false when no turn is open. */
  record(task: TaskId, text: string, nowMs: number): boolean {
    const turn = setProgress(this.#db, task, text)
    if (turn === undefined) return false
    const told = this.#told.get(task)
    const events = told?.turn === turn ? told.events + 1 : 1
    if (events <= this.#eventsMax) {
      this.#told.set(task, { turn, events })
      appendEvent(this.#db, { type: "task.progress", task, data: { text } }, nowMs)
      appendLog(this.#db, { task, turn, kind: "text", text }, nowMs)
    }
    if (events === this.#eventsMax) {
      const text = "The rest of this turn's progress is not kept."
      appendLog(this.#db, { task, turn, kind: "notice", text }, nowMs)
    }
    return true
  }
}
