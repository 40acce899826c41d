/** The documents of events and of the logs of tasks. */
import { z } from "zod"

const time = z.iso.datetime()
const id = z.string()

export const EventDocument = z.object({
  seq: z.int(),
  at: time,
  type: z.string(),
  task: id.nullable(),
  data: z.record(z.string(), z.unknown()),
})
export type EventDocument = z.infer<typeof EventDocument>

export const EventsDocument = z.object({ events: z.array(EventDocument) })
export type EventsDocument = z.infer<typeof EventsDocument>

export const LogLineDocument = z.object({
  seq: z.int(),
  at: time,
  task: id,
  turn: z.int(),
  kind: z.enum(["text", "tool", "output", "notice", "git"]),
  text: z.string(),
  /** Names a use of a tool, and its output; null: it is neither. */
  call: z.string().nullable(),
})
export type LogLineDocument = z.infer<typeof LogLineDocument>

export const LogDocument = z.object({ lines: z.array(LogLineDocument) })
export type LogDocument = z.infer<typeof LogDocument>

/** The turns of a task, oldest first: at most the newest 100. */
/** The message that an agent is writing, as far as it is; its end, if it is long. Empty: none. */
export const WritingDocument = z.object({ writing: z.string() })
export type WritingDocument = z.infer<typeof WritingDocument>

export const TurnsDocument = z.object({
  turns: z.array(
    z.object({
      n: z.int(),
      /** When its agent got it; null: it waits. */
      at: time.nullable(),
      /** The message that its agent got, from a person or from Coppice. */
      prompt: z.string(),
      /** The prompt is longer. */
      cut: z.boolean(),
    }),
  ),
})
export type TurnsDocument = z.infer<typeof TurnsDocument>
