/**
 * Keeps a line for each task. Unfinished and recently finished tasks come at once, older ones page by page.
 *
 * An event says which line to read again. A wait or the last act of an agent has no event, so the tasks
 * that are not finished are also read every two seconds. Reading a line twice does no harm.
 */
import type { TaskLinesDocument } from "../../src/api/wire/tasks.ts"
import { api } from "./api.ts"
import type { Line } from "./words.ts"

/** Finished tasks that are read again with the others. */
const RECENT = 100
const PAGE = 500
/** Between pages of history, so that other requests of the page go first. */
const PAUSE_MS = 50
/** Ids in one request; the rest follows with the next. */
const IDS_MAX = 100

const isFinished = ({ state }: Pick<Line, "state">): boolean =>
  state === "complete" || state === "cancelled"

export class Lines {
  readonly #lines = new Map<string, Line>()
  readonly #touched = new Set<string>()
  /** Tasks whose lines were read while the whole list was loading, and so are newer. */
  readonly #newer = new Set<string>()
  #hasHistory = false

  get isTouched(): boolean {
    return this.#touched.size > 0
  }

  /** The line of this task is old. */
  touch(task: string): void {
    this.#touched.add(task)
  }

  /** Something was missed: every line is old. */
  forget(): void {
    this.#lines.clear()
    this.#hasHistory = false
  }

  /** Reads the lines that are old. @returns undefined if none is. */
  async readTouched(): Promise<Line[] | undefined> {
    const ids = [...this.#touched].slice(0, IDS_MAX)
    if (ids.length === 0) return undefined
    for (const id of ids) this.#touched.delete(id)
    try {
      const { tasks } = await api.listLines({ ids: ids.join(",") })
      for (const id of ids) this.#newer.add(id)
      this.#keep(tasks)
      for (const id of ids) if (!tasks.some((task) => task.id === id)) this.#lines.delete(id)
    } catch (error) {
      for (const id of ids) this.#touched.add(id)
      throw error
    }
    return this.#sorted()
  }

  /** Reads all tasks except those that finished long ago. */
  async readRecent(): Promise<TaskLinesDocument> {
    this.#newer.clear()
    const document = await api.listLines({ finished: RECENT })
    const found = new Set(document.tasks.map(({ id }) => id))
    for (const line of this.#lines.values())
      if (!isFinished(line) && !found.has(line.id) && !this.#newer.has(line.id))
        this.#lines.delete(line.id)
    this.#keep(document.tasks.filter(({ id }) => !this.#newer.has(id)))
    return { ...document, tasks: this.#sorted() }
  }

  /** Reads the finished tasks once, newest first. */
  async *readHistory(): AsyncGenerator<Line[]> {
    if (this.#hasHistory) return
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const { tasks } = await api.listLines({ finished: PAGE, before })
      this.#keep(tasks.filter(({ id }) => !this.#lines.has(id)))
      yield this.#sorted()
      if (tasks.length < PAGE) break
      before = Number(tasks[0]?.id)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    this.#hasHistory = true
  }

  /** A line that says the same stays the same object, so that its card is not drawn again. */
  #keep(lines: readonly Line[]): void {
    for (const line of lines)
      if (JSON.stringify(line) !== JSON.stringify(this.#lines.get(line.id)))
        this.#lines.set(line.id, line)
  }

  #sorted(): Line[] {
    return [...this.#lines.values()].sort((a, b) => Number(a.id) - Number(b.id))
  }
}
