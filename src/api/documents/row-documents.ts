/** Turns single rows into documents of the API: events, lines of logs, questions. */

import type { TaskId } from "../../base/ids.ts"
import type { LogLine, StoredEvent } from "../../kernel/store/appended-rows.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import { listOpenBelow } from "../../kernel/tasks/rows/questions/list-below.ts"
import type { Turn } from "../../kernel/tasks/rows/turns/find.ts"
import type { Question } from "../../kernel/tasks/rules/question.ts"
import type { QuestionsDocument } from "../wire/agent.ts"
import type { EventDocument, LogLineDocument, TurnsDocument } from "../wire/events.ts"

/** A person reads a conversation from its end. */
const TURNS_MAX = 100
/** A prompt with the facts of a hand-back fits. */
const PROMPT_CHARS_MAX = 20_000

export const iso = (ms: number): string => new Date(ms).toISOString()

/** The date of a time in this time zone: `2026-05-31`. */
export function localDay(ms: number): string {
  const at = new Date(ms)
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
  return parts.map((part) => String(part).padStart(2, "0")).join("-")
}

export function eventDocument({ seq, atMs, type, task, data }: StoredEvent): EventDocument {
  return { seq, at: iso(atMs), type, task: task === null ? null : String(task), data: { ...data } }
}

export function logLineDocument({ atMs, task, ...line }: LogLine): LogLineDocument {
  const { seq, turn, kind, text, call } = line
  return { seq, at: iso(atMs), task: String(task), turn, kind, text, call }
}

export const questionsDocument = (db: Db, task: TaskId): QuestionsDocument => ({
  questions: listOpenQuestions(db, task).map(askedDocument),
  ofSubTasks: listOpenBelow(db, task).map(askedDocument),
})

function askedDocument({ id, task, kind, text, choices, subject, askedAtMs }: Question) {
  const asked = { kind, text, choices: [...choices], subject, askedAt: iso(askedAtMs) }
  return { id: String(id), task: String(task), ...asked }
}

export function turnsDocument(turns: readonly Turn[]): TurnsDocument {
  return {
    turns: turns.slice(-TURNS_MAX).map(({ n, begunAtMs, prompt }) => ({
      n,
      at: begunAtMs === null ? null : iso(begunAtMs),
      prompt: prompt.slice(0, PROMPT_CHARS_MAX),
      cut: prompt.length > PROMPT_CHARS_MAX,
    })),
  }
}
