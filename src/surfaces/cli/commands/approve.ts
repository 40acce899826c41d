/** `approve <task…>`: approves plans, or the commits in review. */
import type { Client } from "../../../api/client/client.ts"
import type { NewApproval } from "../../../api/wire/requests.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { actOn } from "../act-on-tasks.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { someTasks, textValue } from "../operands.ts"
import { DETACH } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task…>",
  options: {
    repo: { type: "string", value: "<repo>", about: "Approve only the work in this repository" },
    head: { type: "string", value: "<commit>", about: "Refuse if another commit is in review" },
    plan: { type: "string", value: "<plan>", about: "Refuse if another plan waits" },
    detach: DETACH,
  },
  details:
    "Approves exactly the commits in review. Later commits need a new approval; a moved target does not.\n" +
    "Approving one of several alternatives (`run --pick`) cancels the others.\n" +
    "Approves a plan as it is now; `show` prints its id for `--plan`.",

  async run(shell, positionals, values) {
    const refs = someTasks(positionals, "approve")
    const repo = textValue(values, "repo")
    const head = textValue(values, "head")
    const plan = textValue(values, "plan")
    if ((head ?? plan) !== undefined && refs.length > 1)
      throw new UsageError("`--head` and `--plan` name the work of one task.")
    const asked = {
      ...(repo !== undefined && { repo }),
      ...(head !== undefined && { head }),
      ...(plan !== undefined && { plan }),
    }
    const watches = values["detach"] !== true
    return actOn(shell, { refs, watches, act: (client, ref) => approve(client, ref, asked) })
  },
}

/** Without `--plan`, the plan that waits now is meant. */
async function approve(client: Client, ref: string, asked: NewApproval): Promise<TaskDocument> {
  if (Object.keys(asked).length > 0) return client.approve(ref, asked)
  const { id, state, plan } = await client.show(ref)
  const waits = state === "planning_complete" && plan?.id
  return client.approve(id, waits ? { plan: waits } : {})
}
