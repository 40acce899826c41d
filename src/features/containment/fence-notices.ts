/** Notes in the log of a task what its fence kept from a program, each thing once. */
import type { TaskId } from "../../base/ids.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import type { Rows } from "../../kernel/tasks/context.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listTurns } from "../../kernel/tasks/rows/turns/find.ts"

/** A program may ask for any number of hosts. */
const NOTES_MAX = 50
/** Tasks that began earlier may note a thing again. */
const TASKS_MAX = 1_000

export class Notices {
  readonly #rows: Rows
  readonly #noted = new Map<TaskId, Set<string>>()

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** @param thing a host or a path. */
  note(task: TaskId, thing: string, why: string): void {
    const { db, world } = this.#rows
    const noted = this.#noted.get(task) ?? new Set()
    this.#noted.set(task, noted)
    for (const oldest of [...this.#noted.keys()].slice(0, -TASKS_MAX)) this.#noted.delete(oldest)
    if (noted.has(thing) || noted.size >= NOTES_MAX || !db.open || !findTask(db, task)) return
    const last = noted.size + 1 === NOTES_MAX ? "; further ones are not noted" : ""
    const turn = listTurns(db, task).at(-1)?.n ?? 0
    appendLog(db, { task, turn, kind: "notice", text: `${why}${last}` }, world.nowMs())
    noted.add(thing)
  }
}
