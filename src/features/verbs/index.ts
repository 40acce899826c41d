/** The verbs with which an agent reports on its own task. Those of other features stand in their folders. */

import type { Feature } from "../../api/feature.ts"
import type { Fleet } from "../../api/fleet.ts"
import { turnIsOver, type Verb } from "../../api/verb.ts"
import type { BriefDocument } from "../../api/wire/agent.ts"
import { branchRef } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { findGate } from "../../kernel/landing/gate/choose-gate.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { askHidden } from "../../kernel/tasks/ask-hidden.ts"
import { QUESTIONS_MAX } from "../../kernel/tasks/ask-person.ts"
import { listQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { TaskRepo } from "../../kernel/tasks/rows/row.ts"
import { declareDone } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { keepFiles } from "../files/keep-files.ts"
import { peers } from "./peers.ts"
import { recordReportedStuck } from "./record-reported-stuck.ts"

const brief: Verb<"brief"> = async ({ fleet, readTask }) => {
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
    agents: [...(fleet.findAgent(task)?.tasks.agents ?? [])],
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

const ask: Verb<"ask"> = async ({ fleet, readTask, input, untilGone }) => {
  const task = readTask()
  const { question: text, choices } = input
  const asked = { task: task.id, kind: "question", text, choices, subject: null } as const
  const { askWaitMs: waitMsMax } = fleet.agentConfig(task).session
  const end = await askHidden(fleet, asked, { waitMsMax, signal: untilGone() })
  if (end.kind === "refused") throw turnIsOver()
  if (end.kind === "tooMany")
    throw new DaemonError("agent.busy", `${QUESTIONS_MAX} of your questions are open already.`)
  return end.kind === "answered" ? end : { kind: "later", answer: null }
}

const check: Verb<"check"> = async ({ fleet, readTask, input, untilGone }) => {
  const task = readTask()
  const repos = task.repos.filter(({ name }) => input.repo === undefined || name === input.repo)
  if (repos.length === 0)
    throw new DaemonError("repo.unknown", `Your task has no repository ${input.repo}.`)
  const checked = await fleet.checkWork(task, repos, untilGone())
  if (!checked) throw turnIsOver()
  return checked
}

const done: Verb<"done"> = async ({ fleet, readTask, input, untilGone }) => {
  const { db, world } = fleet
  const task = readTask()
  const check = await fleet.checkWork(task, task.repos, untilGone())
  if (!check) throw turnIsOver()
  if (!check.passed) return { ...check, declared: false }
  const declared = transaction(db, () => {
    const turn = findOpenTurn(db, task.id)
    return turn ? declareDone(db, turn, input.summary, world.nowMs()) : false
  })
  if (!declared) throw turnIsOver()
  return { ...check, declared }
}

const rebaseToMain: Verb<"rebase_to_main"> = async ({ fleet, readTask, input }) => {
  const task = readTask()
  const { repo: name = task.repos[0]?.name } = input
  const repo = task.repos.find((one) => one.name === name)
  if (!repo) throw new DaemonError("repo.unknown", `Your task has no repository ${name}.`)
  return fleet.rebaseToMain(task, repo)
}

export const verbs: Feature = {
  name: "verbs",
  uses: ["files"],
  verbs: {
    brief,
    ask,
    check,
    done,
    peers,
    rebase_to_main: rebaseToMain,
    progress: async ({ fleet, id, input }) => {
      const kept = keepFiles(fleet, { task: id, files: input.files ?? [], byAgent: true })
      if (!(await fleet.progress.note(id, input.text))) throw turnIsOver()
      kept.record(null)
      return { heard: true }
    },
    stuck: async ({ fleet, id, input }) => {
      if (!recordReportedStuck(fleet, id, input.reason)) throw turnIsOver()
      return { heard: true }
    },
  },
}
