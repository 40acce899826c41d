/** The documents of `--json` that describe no task: lists, the doctor's, the configuration's. */
import { z } from "zod"
import { EventDocument, LogLineDocument } from "./wire.ts"

export const EventsDocument = z.object({ events: z.array(EventDocument) })
export type EventsDocument = z.infer<typeof EventsDocument>

export const LogDocument = z.object({ lines: z.array(LogLineDocument) })
export type LogDocument = z.infer<typeof LogDocument>

export const DoctorDocument = z.object({
  /** No check failed. */
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["ok", "failed"]),
      text: z.string(),
      /** What would put it right; null where nothing has to be. */
      hint: z.string().nullable(),
    }),
  ),
})
export type DoctorDocument = z.infer<typeof DoctorDocument>

/** A configuration that is valid; one that is not is an error. */
export const ConfigDocument = z.object({
  /** The file; null where there is none and the defaults hold. */
  path: z.string().nullable(),
  repos: z.array(z.string()),
  agents: z.array(z.string()),
})
export type ConfigDocument = z.infer<typeof ConfigDocument>

export const InitDocument = z.object({ path: z.string() })
export type InitDocument = z.infer<typeof InitDocument>

export const VersionDocument = z.object({ version: z.string() })
export type VersionDocument = z.infer<typeof VersionDocument>

/** What `--help` prints for people. */
export const HelpDocument = z.object({ help: z.string() })
export type HelpDocument = z.infer<typeof HelpDocument>
