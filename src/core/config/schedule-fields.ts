/** `agents.*.schedules.*` of coppice.yml: tasks that are created at certain times. */
import { z } from "zod"
import {
  findCronFault,
  findHoursFault,
  findTimezoneFault,
  type ScheduleConfig,
} from "../schedule.ts"
import { flag, text } from "./fields.ts"
import { span } from "./measures.ts"

const without = (findFault: (value: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = findFault(value)
    if (message !== undefined) context.addIssue({ code: "custom", message })
  })

export const ScheduleFile = z
  .strictObject({
    type: z.enum(["interval", "cron"]).optional(),
    interval: span.optional(),
    cron: without(findCronFault).optional(),
    timezone: without(findTimezoneFault).optional(),
    hours: without(findHoursFault).optional(),
    prompt: text,
    title: text.optional(),
    enabled: flag(true),
    priority: z
      .union(
        [
          z.int(),
          z
            .string()
            .regex(/^-?\d+$/)
            .transform(Number),
        ],
        {
          error: "must be a whole number",
        },
      )
      .prefault(0),
    overlap: flag(false),
  })
  .superRefine(({ type, interval, cron }, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message })
    if (interval !== undefined && cron !== undefined) wrong("cron", "does not go with `interval`")
    else if (interval === undefined && cron === undefined)
      wrong(type ?? "interval", "is missing: a schedule has an `interval` or a `cron` pattern")
    else if (type !== undefined && (type === "cron") !== (cron !== undefined))
      wrong("type", `is \`${type}\`, but the schedule has no \`${type}\``)
  })
type ScheduleFile = z.infer<typeof ScheduleFile>

export function resolveSchedule(name: string, file: ScheduleFile): ScheduleConfig {
  const { type: _, interval: intervalMs, cron, timezone, hours, ...rest } = file
  const { prompt, title, enabled, priority, overlap } = rest
  const timing = { intervalMs, cron, timezone, hours }
  return { name, timing, prompt, title, enabled, priority, overlap }
}
