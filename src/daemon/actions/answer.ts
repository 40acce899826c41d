/** Delivers a person's answer to what a task's agent asks. */

import { toAnswer } from "../../core/prompts/answers.ts"
import { ACCEPT, isAwaited, type Question } from "../../core/question.ts"
import { reveal } from "../../core/shown.ts"
import { hasTurns } from "../../core/task.ts"
import { possibleNow } from "../../core/transitions.ts"
import type { NewAnswer } from "../../core/wire/agent.ts"
import type { NewTask } from "../../core/wire/requests.ts"
import { answerQuestion } from "../../store/questions/ask.ts"
import { listOpenQuestions } from "../../store/questions/list.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../../store/tasks/find.ts"
import type { Task } from "../../store/tasks/row.ts"
import { openReplyTurn } from "../../store/turns/open.ts"
import { DaemonError } from "../errors.ts"
import type { FleetRows } from "../home.ts"
import { type Creator, createTask } from "./create-task.ts"

/**
 * A waiting agent gets it at once; a stopped one continues with it in the same conversation. A
 * proposal that is accepted becomes a task.
 *
 * @throws {DaemonError} `question.none`, `question.unclear` (user).
 */
export async function answer(fleet: Creator, task: Task, given: NewAnswer): Promise<void> {
  const question = findMeant(fleet, task, given)
  const words = toAnswer(question, given.answer)
  if (words === undefined) throw unclear(question)
  const record = () => {
    const { db, world } = fleet
    const nowMs = world.nowMs()
    if (!answerQuestion(db, question, words, nowMs)) throw noQuestion(task, [])
    const now = findTask(db, task.id)
    if (now && hasTurns(now.state)) openReplyTurn(db, task.id, nowMs)
  }
  if (question.kind === "proposal" && words === ACCEPT) {
    const proposed = question.subject as Pick<NewTask, "title" | "prompt">
    const repos = task.repos.map(({ name }) => name)
    await createTask(fleet, { ...proposed, ...agentOf(task), repos }, { records: record })
  } else transaction(fleet.db, record)
}

const agentOf = ({ agent }: Task) => (agent === null ? {} : { agent })

function findMeant({ db }: FleetRows, task: Task, { question: id }: NewAnswer): Question {
  // A cancelled task may still have proposed a good one; its other questions need no answer.
  const isHeard = (one: Question) => task.state !== "cancelled" || !isAwaited(one)
  const open = listOpenQuestions(db, task.id).filter(isHeard)
  const [first, ...others] = id === undefined ? open : open.filter((one) => one.id === id)
  if (!first) throw noQuestion(task, listOpenQuestions(db, task.id).filter(isHeard))
  if (others.length === 0) return first
  const list = open.map((one) => `${one.id}: ${reveal(one.text)}`).join("\n")
  throw new DaemonError("question.unclear", `Task ${task.id} asks several things:\n${list}`, [
    "Say which one with `--question <number>`.",
  ])
}

function noQuestion(task: Task, open: readonly Question[]): DaemonError {
  const asked = open.map(({ id, text }) => `--question ${id}: ${reveal(text)}`)
  const hints = asked.length > 0 ? ["Its questions:", ...asked] : [possibleNow(task)]
  const message = `Task ${task.id} does not ask that, or no longer does.`
  return new DaemonError("question.none", message, hints)
}

const CHOICES = {
  question: "Answer with one of these, its number, or words of your own.",
  permission: "Answer with one of these, its number, yes, no, or `deny: <why>`.",
  proposal: "Answer with one of these, its number, yes or no.",
} as const

function unclear({ kind, choices, text }: Question): DaemonError {
  const named = choices.map((choice, at) => `${at + 1}. ${reveal(choice)}`).join("\n")
  return new DaemonError("question.unclear", `The agent asks: ${reveal(text)}\n${named}`, [
    CHOICES[kind],
  ])
}
