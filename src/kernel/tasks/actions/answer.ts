/** Delivers a person's answer to what a task's agent asks. */

import type { NewAnswer } from "../../../api/wire/agent.ts"
import { quote } from "../../../base/text/shown.ts"
import { createSubTask, type SubTask } from "../../../features/sub-tasks/create-sub-task.ts"
import { findAfter, findOn, keyOfProposal } from "../../../features/sub-tasks/proposed-order.ts"
import { report } from "../../../features/sub-tasks/rows.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { transaction } from "../../store/sql.ts"
import { toAnswer } from "../prompts/answers.ts"
import { findTask } from "../rows/find.ts"
import { answerQuestion } from "../rows/questions/ask.ts"
import { listOpenQuestions } from "../rows/questions/list.ts"
import { listOpenBelow } from "../rows/questions/list-below.ts"
import type { Task } from "../rows/row.ts"
import { openReplyTurn } from "../rows/turns/open.ts"
import { ACCEPT, DECLINE, isAwaited, type Question } from "../rules/question.ts"
import { eventOf, possibleActions, possibleNow } from "../rules/transitions.ts"
import { hasTurns } from "../rules.ts"
import type { Creator } from "./create-task.ts"
import { restart } from "./restart.ts"

/**
 * A waiting agent gets it at once; one whose process has ended continues with it in the same
 * conversation. A stuck task restarts with the answer to its last question, unless it used up its budget:
 * a restart would give it all of that again. A proposal that is accepted becomes a task.
 *
 * @param records writes further records in the same transaction.
 * @throws {DaemonError} `question.none`, `question.unclear` (user).
 */
export async function answer(
  fleet: Creator,
  task: Task,
  given: NewAnswer,
  records = () => {},
): Promise<void> {
  const question = findMeant(fleet, task, given)
  const text = toAnswer(question, given.answer)
  if (text === undefined) throw unclear(question)
  const record = () => {
    const { db, world } = fleet
    const nowMs = world.nowMs()
    if (!answerQuestion(db, question, text, nowMs)) throw noQuestion(task, [])
    const { title, report: wantsEnd } = (question.subject ?? {}) as Partial<Proposed>
    if (text === DECLINE && wantsEnd)
      report(db, task.id, `A person declined your proposal: ${title}`, nowMs)
    const now = findTask(db, task.id)
    if (now && hasTurns(now.state)) openReplyTurn(db, task.id, nowMs)
    records()
  }
  if (question.kind === "proposal" && text === ACCEPT) await accept(fleet, task, question, record)
  else if (isLastOfStuck(fleet, task, question)) await restartWith(fleet, task, record)
  else transaction(fleet.db, record)
}

/** Where the task cannot restart, e.g. without its worktree, a later restart has the answer. */
async function restartWith(fleet: Creator, task: Task, records: () => void): Promise<void> {
  try {
    await restart(fleet, task, {}, { records })
  } catch (error) {
    if (!(error instanceof DaemonError) || error.code !== "task.refused") throw error
    transaction(fleet.db, records)
  }
}

/** Whether a stuck task waits for nothing else. A push that failed does not wait for an answer. */
function isLastOfStuck({ db }: FleetRows, task: Task, question: Question): boolean {
  if (task.reason?.code === "budget") return false
  if (task.state !== "stuck" || !possibleActions(task).includes("restart")) return false
  if (eventOf("restart", task) === "restarted:shipping" || !isAwaited(question)) return false
  return listOpenQuestions(db, task.id).filter(isAwaited).length === 1
}

type Proposed = Pick<SubTask, "title" | "prompt" | "agent" | "report"> & {
  readonly after: readonly string[]
  readonly on?: string
}

async function accept(fleet: Creator, task: Task, question: Question, records: () => void) {
  const { after: refs, on: ref, ...proposed } = question.subject as Proposed
  const after = findAfter(fleet, task, refs)
  const on = findOn(fleet, task, ref)
  const [first] = [...on.proposals, ...after.proposals]
  if (first !== undefined)
    throw new DaemonError(
      "question.unclear",
      `The proposed task depends on proposal ${first}, which is open.`,
      [
        `Answer that first: \`coppice answer ${task.id} --question ${first} accept\` or \`decline\`.`,
      ],
    )
  await createSubTask(
    fleet,
    task,
    { ...proposed, after: after.tasks, on: on.tasks[0] },
    { key: keyOfProposal(question.id), records },
  )
}

function findMeant({ db }: FleetRows, task: Task, { question: id }: NewAnswer): Question {
  // A proposal of a cancelled task can still be accepted. Its other questions need no answer.
  const isHeard = (one: Question) => task.state !== "cancelled" || !isAwaited(one)
  const open = listOpenQuestions(db, task.id).filter(isHeard)
  const [first, ...others] = id === undefined ? open : open.filter((one) => one.id === id)
  if (!first)
    throw noQuestion(
      task,
      listOpenQuestions(db, task.id).filter(isHeard),
      listOpenBelow(db, task.id),
    )
  if (others.length === 0) return first
  const list = open.map((one) => `${one.id}: ${quote(one.text)}`).join("\n")
  throw new DaemonError("question.unclear", `Task ${task.id} asks several things:\n${list}`, [
    "Say which one with `--question <number>`.",
  ])
}

function noQuestion(
  task: Task,
  open: readonly Question[],
  below: readonly Question[] = [],
): DaemonError {
  const own = open.map(({ id, text }) => `--question ${id}: ${quote(text)}`)
  const ofSubTasks = below.map(
    ({ task: by, text }) => `\`coppice answer ${by} "…"\` answers sub-task ${by}: ${quote(text)}`,
  )
  const asked = [...own, ...ofSubTasks]
  const hints = asked.length > 0 ? ["Its questions:", ...asked] : [possibleNow(task)]
  const message = `Task ${task.id} has no such open question.`
  return new DaemonError("question.none", message, hints)
}

const CHOICES = {
  question: "Answer with one of these, its number, or an answer of your own.",
  permission: "Answer with one of these, its number, yes, no, or `deny: <why>`.",
  proposal: "Answer with one of these, its number, yes or no.",
} as const

function unclear({ kind, choices, text }: Question): DaemonError {
  const named = choices.map((choice, at) => `${at + 1}. ${quote(choice)}`).join("\n")
  return new DaemonError("question.unclear", `The agent asks: ${quote(text)}\n${named}`, [
    CHOICES[kind],
  ])
}
