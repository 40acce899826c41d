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
})
export type LogLineDocument = z.infer<typeof LogLineDocument>

export const LogDocument = z.object({ lines: z.array(LogLineDocument) })
export type LogDocument = z.infer<typeof LogDocument>
