/** Reads and writes the threads of one chat: a thread that is gone is forgotten, and one that refuses us rests. */

import { goesOn, type WallWait } from "../../../base/wall-wait.ts"
import type { SourceConfig } from "../../../config/config.ts"
import type { Creator } from "../../../kernel/tasks/actions/create-task.ts"
import type { ThreadMessages, Threads, Unusable } from "../source.ts"
import { type ChatThread, dropChatThread } from "./rows.ts"

export type ThreadParts = {
  readonly fleet: Creator
  readonly config: SourceConfig
  readonly threads: Threads
}

type Readable = Extract<ThreadMessages, { readonly kind: "ok" }>
type Note = Parameters<Threads["write"]>[1]

/** A refusal by the chat rarely changes sooner. */
const REST_MS = 10 * 60_000

export class ThreadAccess {
  readonly #parts: ThreadParts
  /** Why a thread rests, by item. */
  readonly #resting = new Map<string, WallWait & { readonly why: string }>()

  constructor(parts: ThreadParts) {
    this.#parts = parts
  }

  /** Leaves a thread alone for a while. */
  rest(item: string, why: string): void {
    const fromMs = this.#parts.fleet.world.nowMs()
    this.#resting.set(item, { fromMs, untilMs: fromMs + REST_MS, why })
  }

  rests(item: string): boolean {
    const rest = this.#resting.get(item)
    if (!rest) return false
    const isResting = goesOn(rest, this.#parts.fleet.world.nowMs())
    if (!isResting) this.#resting.delete(item)
    return isResting
  }

  problems(): string[] {
    const { name } = this.#parts.config
    return [...this.#resting].map(([item, { why }]) => `${name} ${item}: ${why}`)
  }

  /** Undefined: the thread is gone, or rests now. */
  async read(row: ChatThread, signal: AbortSignal): Promise<Readable | undefined> {
    const messages = await this.#parts.threads.read(row.item, row.seen, signal)
    if (messages.kind === "ok") return messages
    this.#leave(row, messages)
    return undefined
  }

  /** Writes the note unless the thread has it. @returns false if the thread is gone, or rests now. */
  async write(row: ChatThread, note: Note, signal: AbortSignal): Promise<boolean> {
    const { threads, fleet } = this.#parts
    const messages = await this.read(row, signal)
    if (!messages || messages.notes.includes(note.key)) return messages !== undefined
    const wrote = await threads.write(row.item, note, signal)
    await fleet.world.point("chat.written")
    if (wrote.kind !== "ok") this.#leave(row, wrote)
    return wrote.kind === "ok"
  }

  #leave(row: ChatThread, answer: Unusable): void {
    if (answer.kind === "gone") dropChatThread(this.#parts.fleet.db, row)
    else this.rest(row.item, `Its thread cannot be used: ${answer.why}`)
  }
}
