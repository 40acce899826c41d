/** Fences and containers around agents, gates and set-ups. */
import type { Feature } from "../../api/feature.ts"
import { endLeftContainers } from "./left-containers.ts"

export const containment: Feature = {
  name: "containment",
  uses: ["reviews"],
  open: ({ stateDir }) => endLeftContainers(stateDir),
}
