/** Several agents answer one prompt, and a person picks one answer. */
import type { Feature } from "../../api/feature.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { describeAlternatives } from "./describe.ts"

export const alternatives: Feature = {
  name: "alternatives",
  uses: ["files"],
  routes: {
    alternatives: ({ fleet, ref }) => describeAlternatives(fleet, findTaskByRef(fleet, ref)),
  },
}
