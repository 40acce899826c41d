/** `agent progress <text>`: an agent reports what it is doing. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import { ATTACH, attachedFiles, placesOfAgent } from "../../../surfaces/cli/attached-files.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { oneText } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<text>",
  options: { attach: ATTACH },
  details:
    "For agents, in their own worktree. `coppice ls` shows it. Files of --attach are kept with the task.",

  async run({ output, json, env, cwd, readStdinBytes }, positionals, values) {
    const text = oneText(positionals, "agent progress")
    const files = await attachedFiles(values, { cwd, readStdinBytes, within: placesOfAgent(env) })
    const heard = await sayVerb(env, "progress", { text, ...files })
    if (json) output.document(heard)
    return 0
  },
}
