/** Any program as an agent: one run is one turn. */
import type { Feature } from "../../api/feature.ts"
import { assert } from "../../base/assert.ts"
import { commandRuntime } from "./runtime.ts"

export const command: Feature = {
  name: "command",
  runtimes: {
    command: ({ command: words, resume }, env) => {
      assert(words !== undefined, "an agent whose runtime is `command` has a command")
      return commandRuntime({ command: words, resume, path: env["PATH"] })
    },
  },
}
