/**
 * Drives the conversations of one chat: writes notes about tasks into their threads, and delivers replies.
 *
 * A reply moves its cursor in the transaction that delivers it, so it arrives exactly once. A note has a
 * key in its text, and we read the thread before we write a note. So a crash writes no note twice.
 */

import { AppError } from "../../../base/errors.ts"
import { goesOn, type WallWait } from "../../../base/wall-wait.ts"
import type { StoredEvent } from "../../../kernel/store/appended-rows.ts"
import { listEventsOf } from "../../../kernel/store/events.ts"
import { findTask } from "../../../kernel/tasks/rows/find.ts"
import { findQuestion, listOpenQuestions } from "../../../kernel/tasks/rows/questions/list.ts"
import { SourceError } from "../errors.ts"
import { deliverReply, type ToDeliver } from "./deliver-reply.ts"
import { type ChatThread, dropChatThread, listChatThreads, recordChat } from "./rows.ts"
import { OVER_NOTE, questionNote, refusedNote, stateNote } from "./rules/notes.ts"
import { effectOf } from "./rules.ts"
import { ThreadAccess, type ThreadParts } from "./thread-access.ts"

/** Events that may need a note. */
const EVENTS = ["question.asked", "task.*"]
/** More than a task has between two steps. The rest would follow in the next step. */
const EVENTS_MAX = 100
/** Threads that the list of messages does not show any more are read less often. */
const UNLISTED_MS = 60_000
/** How long a reply after the end of a conversation still gets a hint. */
const HINT_MS = 24 * 60 * 60_000
/** A task in one of these states has ended. */
const ENDED = ["complete", "cancelled"]

export class ThreadDriver {
  readonly #parts: ThreadParts
  readonly #access: ThreadAccess
  /** Threads that the list does not show, and the time until the next look at each. */
  readonly #unlisted = new Map<string, WallWait>()

  constructor(parts: ThreadParts) {
    this.#parts = parts
    this.#access = new ThreadAccess(parts)
  }

  /**
   * A fault with one conversation holds up no other.
   *
   * @param isPolled the room was just read.
   * @throws {SourceError} if the chat cannot be used; or the first fault of ours, at the end.
   */
  async step(isPolled: boolean, signal: AbortSignal): Promise<void> {
    const { fleet, config } = this.#parts
    const rows = listChatThreads(fleet.db, config.name)
    for (const item of this.#unlisted.keys())
      if (!rows.some((row) => row.item === item)) this.#unlisted.delete(item)
    const faults: unknown[] = []
    for (const row of rows) {
      if (this.#access.rests(row.item)) continue
      try {
        await this.#converse(row, isPolled, signal)
      } catch (error) {
        if (error instanceof SourceError || signal.aborted) throw error
        this.#access.rest(row.item, error instanceof AppError ? error.message : "a bug in Coppice")
        if (!(error instanceof AppError) || error.blame === "bug") faults.push(error)
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  async #converse(row: ChatThread, isPolled: boolean, signal: AbortSignal): Promise<void> {
    // The next step writes a question that is asked after this.
    const asked = this.#listQuestions(row)
    const noted = await this.#writeNotes(row, signal)
    if (noted && isPolled) await this.#readReplies(noted, asked, signal)
  }

  problems(): string[] {
    return this.#access.problems()
  }

  /** @returns the row as it is now; undefined: it is gone or rests. */
  async #writeNotes(row: ChatThread, signal: AbortSignal): Promise<ChatThread | undefined> {
    const { fleet } = this.#parts
    if (row.task === null) return row
    const wanted = { task: row.task, after: row.noted, limit: EVENTS_MAX }
    let now = row
    for (const event of listEventsOf(fleet.db, EVENTS, wanted)) {
      const isEnd = ENDED.includes(String(event.data["to"]))
      const text = isEnd && !now.isReported ? undefined : this.#noteOf(event)
      const key = keyOf(row, nameOf(event))
      if (text !== undefined && !(await this.#access.write(now, { key, text }, signal)))
        return undefined
      const activeAtMs = text === undefined ? now.activeAtMs : fleet.world.nowMs()
      const isReported = isEnd ? 1 : now.isReported
      now = recordChat(fleet.db, now, { noted: event.seq, isReported, activeAtMs })
    }
    return now
  }

  /** Undefined if no person needs a note about it, or no longer does. */
  #noteOf({ type, task: id, data }: StoredEvent): string | undefined {
    const { db } = this.#parts.fleet
    if (type === "question.asked") {
      const question = findQuestion(db, Number(data["question"]))
      const isOpen = question?.answer === null && question.closedAtMs === null
      return isOpen ? questionNote(question) : undefined
    }
    const task = findTask(db, id)
    return task && task.state === data["to"] ? stateNote(task) : undefined
  }

  /** The keys of the notes about its open questions. */
  #listQuestions(row: ChatThread): ReadonlyMap<number, string> {
    const { db } = this.#parts.fleet
    const open = row.task === null ? [] : listOpenQuestions(db, row.task)
    return new Map(open.map(({ id }) => [id, keyOf(row, `question-${id}`)]))
  }

  async #readReplies(
    row: ChatThread,
    asked: ToDeliver["asked"],
    signal: AbortSignal,
  ): Promise<void> {
    const { fleet } = this.#parts
    if (this.#isForgotten(row)) return dropChatThread(fleet.db, row)
    if (!this.#mayHaveNews(row)) return
    const messages = await this.#access.read(row, signal)
    if (!messages) return
    let now: ChatThread | undefined = row
    for (const reply of messages.replies) {
      now = await this.#deliver(now, { ...reply, asked }, signal)
      if (!now) return
    }
    recordChat(fleet.db, now, { seen: messages.last })
  }

  #mayHaveNews({ item, seen }: ChatThread): boolean {
    const { fleet, threads } = this.#parts
    const hasNews = threads.hasNews(item, seen)
    if (hasNews !== undefined) return hasNews
    const nowMs = fleet.world.nowMs()
    const wait = this.#unlisted.get(item)
    if (wait && goesOn(wait, nowMs)) return false
    this.#unlisted.set(item, { fromMs: nowMs, untilMs: nowMs + UNLISTED_MS })
    return true
  }

  /** @returns the new row; undefined: stop here, as the reply must wait or the conversation is over. */
  async #deliver(
    row: ChatThread,
    reply: ToDeliver,
    signal: AbortSignal,
  ): Promise<ChatThread | undefined> {
    const { fleet } = this.#parts
    const change = { seen: reply.id, activeAtMs: fleet.world.nowMs() }
    const records = () => void recordChat(fleet.db, row, change)
    try {
      const effect = this.#hasExpired(row)
        ? "over"
        : await deliverReply(fleet, { id: row.task! }, reply, records)
      if (effect === "hold") return undefined
      if (effect === "delivered") return { ...row, ...change }
      if (await this.#access.write(row, { key: keyOf(row, "over"), text: OVER_NOTE }, signal))
        dropChatThread(fleet.db, row)
      return undefined
    } catch (error) {
      if (!isRefusal(error)) throw error
      const text = refusedNote([error.message, ...error.hints].join("\n"))
      const key = keyOf(row, `reply-${reply.id.replace(".", "-")}`)
      if (!(await this.#access.write(row, { key, text }, signal))) return undefined
      return recordChat(fleet.db, row, change)
    }
  }

  /** A conversation ends some time after its task completes, and at once if the task is cancelled or deleted. */
  #hasExpired(row: ChatThread): boolean {
    const { fleet, config } = this.#parts
    const task = findTask(fleet.db, row.task)
    if (effectOf(task, false) === "over") return true
    return task?.state === "complete" && row.activeAtMs + config.expiresMs <= fleet.world.nowMs()
  }

  #isForgotten(row: ChatThread): boolean {
    const { fleet, config } = this.#parts
    const untilMs = row.activeAtMs + config.expiresMs + HINT_MS
    return this.#hasExpired(row) && untilMs <= fleet.world.nowMs()
  }
}

/** An error that a person in the thread can do something about, so that the reply must not wait. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  !(error instanceof SourceError) &&
  error.blame !== "bug" &&
  !error.transient

/** The key of a note: no other fleet, and no other claim, has the same. */
const keyOf = ({ nonce }: ChatThread, name: string): string => `${nonce.slice(0, 8)}-${name}`

const nameOf = ({ type, seq, data }: StoredEvent): string =>
  type === "question.asked" ? `question-${Number(data["question"])}` : `event-${seq}`
