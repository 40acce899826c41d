/** Code that several runtimes share, and the names of programs that are too old. */
import type { Feature } from "../../api/feature.ts"
import { outdatedProgram } from "./outdated-program.ts"

export const runtimes: Feature = {
  name: "runtimes",
  wrap: outdatedProgram,
}
