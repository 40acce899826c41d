/** Lists rescued work, and makes a branch of it. */
import type { Feature } from "../../api/feature.ts"
import { rescueBounds, rescueDocuments, restore } from "./recover.ts"

export const recover: Feature = {
  name: "recover",
  uses: ["clean-up"],
  routes: {
    rescues: async ({ fleet }) => ({
      rescues: await rescueDocuments(fleet),
      bounds: rescueBounds(fleet),
    }),
    restore: ({ fleet, given }) => restore(fleet, given),
  },
}
