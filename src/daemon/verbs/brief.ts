/** `brief`: tells an agent its task and the state of it. */
import { branchRef } from "../../core/ids.ts"
import type { BriefDocument } from "../../core/wire/agent.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { findGate } from "../../landing/gate/gate-plan.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { listQuestions } from "../../store/questions/list.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import type { Fleet } from "../fleet.ts"
import type { Verb } from "./verb.ts"

export const brief: Verb<"brief"> = async ({ fleet, readTask }) => {
  const task = readTask()
  const { id, title, prompt, workItem, state } = task
  const landing = findLandingOfTask(fleet.db, id)
  return {
    task: String(id),
    title,
    prompt,
    workItem,
    state,
    turn: findOpenTurn(fleet.db, id)?.n ?? null,
    repos: await Promise.all(task.repos.map((repo) => repoBrief(fleet, repo))),
    questions: listQuestions(fleet.db, id).map(({ text, answer }) => ({ text, answer })),
    handedBack: landing?.state === "handed_back" ? landing.reason : null,
  }
}

async function repoBrief(
  fleet: Pick<Fleet, "repoConfig">,
  repo: TaskRepo,
): Promise<BriefDocument["repos"][number]> {
  const { name, target, branch, worktree, base, path } = repo
  const tip = await readCommit(path, branchRef(target))
  const gate = tip ? await findGate(fleet, repo, tip) : undefined
  return { name, target, branch, worktree, base, gate: gate ?? null }
}
