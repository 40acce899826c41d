/** `agent review approve|changes [comments]`: the verdict of a reviewer. */
import { sayVerb } from "../../api/client/send-verb.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"

export const command: Command = {
  operands: "<verdict> [comments]",
  options: {},
  details: "For reviewers. The verdict is approve or changes; it counts when the turn ends.",

  async run({ output, json, env }, [verdict, ...words]) {
    if (verdict !== "approve" && verdict !== "changes")
      throw new UsageError("`agent review` takes `approve` or `changes`, then comments.")
    const heard = await sayVerb(env, "review", { verdict, comments: words.join(" ") })
    if (json) output.document(heard)
    else output.lines(["heard"])
    return 0
  },
}
