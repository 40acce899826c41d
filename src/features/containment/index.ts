/** Fences and containers around agents, gates and set-ups. */
import type { Feature } from "../../api/feature.ts"
import { containedRuntime } from "./contained-runtime.ts"
import { endLeftContainers } from "./left-containers.ts"

export const containment: Feature = {
  name: "containment",
  uses: ["reviews"],
  wrap: containedRuntime,
  open: ({ stateDir }) => endLeftContainers(stateDir),
}
