/** `approve <task…>`: approves plans, or the commits in review. */
import { actOn } from "../act.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { someTasks, textValue } from "../operands.ts"
import { DETACH } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task…>",
  options: {
    repo: { type: "string", value: "<repo>", about: "Approve only the work in this repository" },
    head: { type: "string", value: "<commit>", about: "Refuse if another commit is in review" },
    detach: DETACH,
  },
  details:
    "Approves exactly the commits in review. Later commits need a new approval; a moved target does not.",

  async run(shell, positionals, values) {
    const refs = someTasks(positionals, "approve")
    const repo = textValue(values, "repo")
    const head = textValue(values, "head")
    if (head !== undefined && refs.length > 1)
      throw new UsageError("`--head` names the commit of one task.")
    const what = { ...(repo !== undefined && { repo }), ...(head !== undefined && { head }) }
    const watches = values["detach"] !== true
    return actOn(shell, { refs, watches, act: (client, ref) => client.approve(ref, what) })
  },
}
