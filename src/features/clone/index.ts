/** Clones a repository of a home that has an address and no folder yet. */
import type { Feature } from "../../api/feature.ts"
import { untilNoClone } from "./ensure-cloned.ts"

export const clone: Feature = {
  name: "clone",
  create: () => ({ stop: untilNoClone }),
}
