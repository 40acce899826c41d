/** Codex as an agent. */
import type { Feature } from "../../api/feature.ts"
import { codexRuntime } from "./runtime.ts"

export const codex: Feature = {
  name: "codex",
  uses: ["runtimes"],
  runtimes: { codex: (_agent, env) => codexRuntime({ env }) },
}
