/** Creates tasks from items of trackers and chats. */
import type { Feature } from "../../api/feature.ts"

export const sources: Feature = {
  name: "sources",
  uses: ["hooks", "rest"],
  routes: {
    sources: ({ fleet }) => fleet.sources.describe(),
  },
}
