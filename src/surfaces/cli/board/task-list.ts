/** The list of tasks on the screen: which one is selected, and which part is shown. */
import type { TaskLinesDocument } from "../../../api/wire/tasks.ts"
import type { Output } from "../output.ts"
import { scrolled } from "./window.ts"

export type ListedTask = TaskLinesDocument["tasks"][number]

/** A line of the list. `task`: the one that it shows. */
export type ListLine = { readonly text: string; readonly task?: ListedTask }

/** Before each line: the sign of the selected task, or as much space. */
export const MARGIN_COLUMNS = 2
/** The heading of the columns stays at the top, unless only one other line has room. */
const FIXED = 1

export class TaskList {
  #lines: readonly ListLine[] = []
  #top = 0
  /** The selection follows its task when the list changes. */
  #id: string | undefined
  /** The last place of the selected task, in case it leaves the list. */
  #place = 0

  update(lines: readonly ListLine[]): void {
    this.#lines = lines
    this.#select(this.#tasks.findIndex(({ id }) => id === this.#id))
  }

  get selected(): ListedTask | undefined {
    return this.#tasks[this.#place]
  }

  find(id: string): ListedTask | undefined {
    return this.#tasks.find((task) => task.id === id)
  }

  /** Selects the task `by` places further; without tasks, scrolls. */
  move(by: number): void {
    if (this.#tasks.length > 0) this.#select(Math.max(0, this.#place + by))
    else this.#top = Math.max(0, this.#top + by)
  }

  shown(output: Output, height: number): string[] {
    const isLow = height <= FIXED + 1 && this.#tasks.length > 0
    const fixed = isLow ? [] : this.#lines.slice(0, FIXED)
    const rest = this.#lines.slice(FIXED)
    const at = rest.findIndex(({ task }) => task !== undefined && task.id === this.#id)
    const room = isLow ? height : height - FIXED
    // The heading of its group is shown with the first task of the list.
    const wanted = this.#place === 0 && at < room ? Math.min(at, 0) : at
    this.#top = scrolled(this.#top, at < 0 ? this.#top : Math.max(0, wanted), rest.length, room)
    const part = rest.slice(this.#top, this.#top + room)
    return [...fixed, ...part].map(({ text, task }) => {
      const isSelected = task !== undefined && task.id === this.#id
      return isSelected ? output.paint("inverse", `▸ ${text}`) : `  ${text}`
    })
  }

  get #tasks(): ListedTask[] {
    return this.#lines.flatMap(({ task }) => task ?? [])
  }

  /** @param at −1: selects the task that is now at the same place. */
  #select(at: number): void {
    const tasks = this.#tasks
    this.#place = Math.max(0, Math.min(at < 0 ? this.#place : at, tasks.length - 1))
    this.#id = tasks[this.#place]?.id
  }
}
