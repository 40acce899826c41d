/** Creates tasks at ticks. */

import { taskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import { withUncommitted } from "../../kernel/tasks/actions/task-defaults.ts"
import { isScheduleOn } from "./rows/find.ts"
import { Schedules } from "./schedules.ts"

export const schedules: Feature = {
  name: "schedules",
  uses: ["sources"],
  routes: {
    trigger: async ({ fleet, ref, key }) => {
      const { task, taken } = await fleet.schedules.trigger(ref, key)
      return { task: taskDocument(fleet, task), taken: await withUncommitted(taken, task) }
    },
    switchSchedule: ({ fleet, ref, given }) => fleet.schedules.switch(ref, given.enabled),
  },
  create: ({ fleet, live, onError }) => {
    const poll = (source: string, key?: string) => fleet.sources.poll(source, key)
    const all = new Schedules({ ...fleet, live, poll }, onError("schedule"))
    const status = () => ({ schedules: all.documents() })
    return { ...driving(all), fleet: { schedules: all }, status }
  },
  needsDaemon: isScheduleOn,
}
