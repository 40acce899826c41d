/** Any program that speaks the Agent Client Protocol, as an agent. */
import type { Feature } from "../../api/feature.ts"
import { assert } from "../../base/assert.ts"
import { acpRuntime } from "./runtime.ts"

export const acp: Feature = {
  name: "acp",
  uses: ["runtimes"],
  runtimes: {
    acp: ({ command }, env) => {
      assert(Array.isArray(command), "an agent whose runtime is `acp` has a list of words")
      return acpRuntime({ command, path: env["PATH"] })
    },
  },
}
