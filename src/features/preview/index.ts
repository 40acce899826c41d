/** Shows what a landing would do now. */
import type { Feature } from "../../api/feature.ts"
import { planLanding } from "./plan.ts"
import { planWork } from "./plan-work.ts"

export const preview: Feature = {
  name: "preview",
  uses: ["own-work"],
  routes: {
    planLanding: ({ fleet, given }) => planWork(fleet, given),
  },
  create: ({ kernel }) => ({ fleet: { planLanding: (task) => planLanding(kernel, task) } }),
}
