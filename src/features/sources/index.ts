/** Creates tasks from items of trackers and chats. */
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import { createSource } from "./create-source.ts"
import { SourceLoop } from "./source-loop.ts"

export const sources: Feature = {
  name: "sources",
  uses: ["hooks", "rest"],
  routes: {
    sources: ({ fleet }) => fleet.sources.describe(),
  },
  create: ({ fleet, log }) => {
    const loop = new SourceLoop({
      fleet,
      createSource: (config) => createSource(fleet.home, config, fleet.world.nowMs),
      onError: (error) => log.error({ err: error }, "a source rests after an error"),
    })
    return {
      ...driving(loop),
      fleet: { sources: loop },
      problems: () => loop.problems(),
      status: () => loop.describeAll(),
      isUsed: () => loop.isUsed,
    }
  },
}
