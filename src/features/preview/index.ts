/** Shows what a landing would do now. */
import type { Feature } from "../../api/feature.ts"
import { previewLanding } from "./preview-landing.ts"
import { previewWork } from "./preview-work.ts"

export const preview: Feature = {
  name: "preview",
  uses: ["own-work"],
  routes: {
    planLanding: ({ fleet, given }) => previewWork(fleet, given),
  },
  create: ({ kernel }) => ({ fleet: { previewLanding: (task) => previewLanding(kernel, task) } }),
}
