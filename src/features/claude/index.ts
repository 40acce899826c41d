/** Claude Code as an agent. */
import type { Feature } from "../../api/feature.ts"
import { claudeCliRuntime, claudeRuntime } from "./runtime.ts"

export const claude: Feature = {
  name: "claude",
  uses: ["runtimes"],
  runtimes: {
    claude: (_agent, env) => claudeRuntime({ env }),
    "claude-cli": (_agent, env) => claudeCliRuntime({ env }),
  },
}
