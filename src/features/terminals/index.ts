/** A person's shells in the worktrees of tasks. */
import type { Feature } from "../../api/feature.ts"
import { terminalRoute } from "./terminal-route.ts"

export const terminals: Feature = {
  name: "terminals",
  serve: terminalRoute,
}
