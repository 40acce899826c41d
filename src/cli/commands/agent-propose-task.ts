/** `agent propose_task <title> <prompt>`: an agent proposes another task to a person. */
import { sayVerb } from "../../client/agent.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"

export const command: Command = {
  operands: "<title> <prompt>",
  options: {},
  details:
    "For agents, in their own worktree. A person accepts or declines it with `coppice answer`.",

  async run({ output, json, env }, [title, prompt, ...rest]) {
    if (!title || !prompt || rest.length > 0)
      throw new UsageError("`agent propose_task` takes a title and a prompt.", ["Quote them."])
    const heard = await sayVerb(env, "propose_task", { title, prompt })
    if (json) output.document(heard)
    return 0
  },
}
