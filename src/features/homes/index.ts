/** All homes of a person, and a home that moves. */
import type { Feature } from "../../api/feature.ts"
import { followHome } from "./follow-home.ts"
import { summariseHomes } from "./other-homes.ts"
import { otherHomeRoutes } from "./other-homes-routes.ts"

export const homes: Feature = {
  name: "homes",
  uses: ["trust"],
  routes: {
    homes: ({ fleet }) => summariseHomes(fleet),
  },
  open: ({ db, ...at }) => followHome(db, at),
  serve: (server, { fleet: home, isLasting, ...context }) => {
    if (isLasting) otherHomeRoutes(server, { home, ...context })
  },
}
