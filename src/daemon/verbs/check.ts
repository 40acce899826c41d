/** `check`: runs the same gate that the work must pass, in the worktree as it is now. */
import { DaemonError } from "../errors.ts"
import { turnIsOver, type Verb } from "./verb.ts"

export const check: Verb<"check"> = async ({ fleet, readTask, input, untilGone }) => {
  const task = readTask()
  const repos = task.repos.filter(({ name }) => input.repo === undefined || name === input.repo)
  if (repos.length === 0)
    throw new DaemonError("repo.unknown", `Your task has no repository ${input.repo}.`)
  const checked = await fleet.checkWork(task, repos, untilGone())
  if (!checked) throw turnIsOver()
  return checked
}
