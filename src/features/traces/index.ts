/** Exports traces of tasks to a collector. */
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import { createTraces } from "./traces.ts"

export const traces: Feature = {
  name: "traces",
  uses: ["hooks"],
  create: ({ fleet, log }) => {
    const { db, world } = fleet
    const made = createTraces({ db, world, log, env: process.env })
    return {
      ...driving(made),
      problems: () => made.problems(),
      variables: (task, by) => made.variables(task, by),
    }
  },
}
