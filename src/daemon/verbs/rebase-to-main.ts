/** `rebase_to_main`: rebases the agent's work onto the target, in its own worktree. */
import { z } from "zod"
import type { RebasedDocument } from "../../core/wire/documents.ts"
import { DaemonError } from "../errors.ts"
import { verb } from "./verb.ts"

export const rebaseToMain = verb({
  name: "rebase_to_main",
  about:
    "Rebase your branch onto the target as it is now. Everything is committed and saved first. A " +
    "conflict is left in your worktree for you to resolve with `git rebase --continue`.",
  input: z.strictObject({
    repo: z.string().optional().describe("One repository of the task; default: the first"),
  }),
  run: async ({ fleet, readTask, input }): Promise<RebasedDocument> => {
    const task = readTask()
    const { repo: name = task.repos[0]?.name } = input
    const repo = task.repos.find((one) => one.name === name)
    if (!repo) throw new DaemonError("repo.unknown", `Your task has no repository ${name}.`)
    return fleet.rebaseToMain(task, repo)
  },
})
