/** `agents.*.schedules.*` of coppice.yml: tasks that are created at certain times. */
import { z } from "zod"
import { span } from "../../config/measures.ts"
import { flag, text } from "../../config/value-kinds.ts"
import { source } from "../sources/config.ts"
import { findCronFault, findHoursFault, findTimezoneFault, type ScheduleConfig } from "./rules.ts"

const without = (findFault: (value: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = findFault(value)
    if (message !== undefined) context.addIssue({ code: "custom", message })
  })

/** The schedule says these for its source. */
const OF_SCHEDULE = ["interval", "agent", "prompt"] as const
const WHY = {
  interval: "the schedule says when",
  agent: "the schedule has an agent",
  prompt: "the schedule has one",
}

/** The name of the source of a schedule, as in `coder-issues`. */
export const sourceNameOf = (agent: string, schedule: string): string => `${agent}-${schedule}`

export const ScheduleFile = z
  .strictObject({
    type: z.enum(["interval", "cron"]).optional(),
    interval: span.optional(),
    cron: without(findCronFault).optional(),
    timezone: without(findTimezoneFault).optional(),
    hours: without(findHoursFault).optional(),
    prompt: text.optional(),
    work_source: source.optional(),
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
  .superRefine(({ type, interval, cron, prompt, title, overlap, work_source: source }, context) => {
    const wrong = (key: string, message: string, inner: readonly string[] = []) =>
      context.addIssue({ code: "custom", path: [key, ...inner], message })
    if (prompt === undefined && !source)
      wrong("prompt", "is missing: a schedule has a `prompt` or a `work_source`")
    if (source && title !== undefined)
      wrong("title", "does not go with `work_source`: an item has a title")
    if (source && overlap)
      wrong("overlap", "does not go with `work_source`: `max_open` bounds its tasks")
    for (const key of OF_SCHEDULE)
      if (source?.[key] !== undefined)
        wrong("work_source", `is not for a \`work_source\`: ${WHY[key]}`, [key])
    if (interval !== undefined && cron !== undefined) wrong("cron", "does not go with `interval`")
    else if (interval === undefined && cron === undefined)
      wrong(type ?? "interval", "is missing: a schedule has an `interval` or a `cron` pattern")
    else if (type !== undefined && (type === "cron") !== (cron !== undefined))
      wrong("type", `is \`${type}\`, but the schedule has no \`${type}\``)
  })
type ScheduleFile = z.infer<typeof ScheduleFile>

/** @param agent the agent whose schedule it is. */
export function resolveSchedule(agent: string, name: string, file: ScheduleFile): ScheduleConfig {
  const { type: _, interval: intervalMs, cron, timezone, hours, ...rest } = file
  const { prompt, title, enabled, priority, overlap } = rest
  const timing = { intervalMs, cron, timezone, hours }
  const source = file.work_source && sourceNameOf(agent, name)
  return { name, timing, prompt, source, title, enabled, priority, overlap }
}
