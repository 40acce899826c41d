/** `check`: runs the same gate that the work must pass, in the worktree as it is now. */
import { type CheckDocument, ToCheck } from "../../core/wire/agent.ts"
import { DaemonError } from "../errors.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const check = verb({
  name: "check",
  about: "Run the command that must pass before your work lands, on your files as they are now.",
  input: ToCheck,
  run: async ({ fleet, readTask, input, untilGone }): Promise<CheckDocument> => {
    const task = readTask()
    const repos = task.repos.filter(({ name }) => input.repo === undefined || name === input.repo)
    if (repos.length === 0)
      throw new DaemonError("repo.unknown", `Your task has no repository ${input.repo}.`)
    const checked = await fleet.checkWork(task, repos, untilGone())
    if (!checked) throw turnIsOver()
    return checked
  },
})
