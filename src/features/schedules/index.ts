/** Creates tasks at ticks. */

import { taskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { withUncommitted } from "../../kernel/tasks/actions/task-defaults.ts"

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
}
