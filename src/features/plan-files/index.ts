/** Several tasks from one plan file, all or none. */

import { taskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { createTasks } from "./create-tasks.ts"

export const planFiles: Feature = {
  name: "plan-files",
  uses: ["alternatives", "stacks"],
  routes: {
    createAll: async ({ fleet, given, key }) => {
      const made = await createTasks(fleet, given, key)
      return { tasks: made.map((task) => taskDocument(fleet, task)) }
    },
  },
}
