/**
 * The text that each agent is writing now, for pages that are open. It is stored nowhere: the whole message
 * becomes a line of the task's log, and then its text goes from here.
 */
import type { TaskId } from "../../base/ids.ts"

/** A person reads the end of a longer text, and the whole message soon. */
export const WRITTEN_CHARS_MAX = 8 * 1024

type Text = {
  readonly text: string
  /** How much of the text is a message that waits for its line in the log. */
  readonly whole: number
}

const NONE: Text = { text: "", whole: 0 }

export class Written {
  readonly #texts = new Map<TaskId, Text>()
  readonly #readers = new Map<TaskId, Set<() => void>>()

  /** The text so far; possibly empty. */
  read(task: TaskId): string {
    const { text, whole } = this.#texts.get(task) ?? NONE
    return text.length > whole ? text.slice(whole) : text
  }

  add(task: TaskId, more: string): void {
    const before = this.#texts.get(task) ?? NONE
    const all = before.text + more
    const cut = Math.max(0, all.length - WRITTEN_CHARS_MAX)
    this.#put(task, { text: all.slice(cut), whole: Math.max(0, before.whole - cut) })
  }

  /** The message is whole, and its line is on the way to the log. */
  complete(task: TaskId): void {
    const { text } = this.#texts.get(task) ?? NONE
    if (text !== "") this.#put(task, { text, whole: text.length })
  }

  /** The log has the lines of all messages that were whole. */
  record(task: TaskId): void {
    const { text, whole } = this.#texts.get(task) ?? NONE
    if (whole > 0) this.#put(task, { text: text.slice(whole), whole: 0 })
  }

  /** The message was given up, or a new one begins. */
  clear(task: TaskId): void {
    if (this.#texts.has(task)) this.#put(task, NONE)
  }

  /** Calls back after each change. @returns a function that stops this. */
  follow(task: TaskId, reader: () => void): () => void {
    const readers = this.#readers.get(task) ?? new Set()
    this.#readers.set(task, readers.add(reader))
    return () => {
      readers.delete(reader)
      if (readers.size === 0) this.#readers.delete(task)
    }
  }

  #put(task: TaskId, text: Text): void {
    if (text.text === "") this.#texts.delete(task)
    else this.#texts.set(task, text)
    for (const reader of this.#readers.get(task) ?? []) reader()
  }
}
