/** `rebase_to_main`: rebases the agent's work onto the target, in its own worktree. */
import { DaemonError } from "../errors.ts"
import type { Verb } from "./verb.ts"

export const rebaseToMain: Verb<"rebase_to_main"> = async ({ fleet, readTask, input }) => {
  const task = readTask()
  const { repo: name = task.repos[0]?.name } = input
  const repo = task.repos.find((one) => one.name === name)
  if (!repo) throw new DaemonError("repo.unknown", `Your task has no repository ${name}.`)
  return fleet.rebaseToMain(task, repo)
}
