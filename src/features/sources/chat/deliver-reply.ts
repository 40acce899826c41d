/** Delivers a reply in a chat thread to its task: as an answer, a message, a rejection or a restart. */

import { TEXT_CHARS_MAX } from "../../../base/input-bounds.ts"
import { clean } from "../../../base/text/shown.ts"
import { DaemonError } from "../../../kernel/errors.ts"
import { transaction } from "../../../kernel/store/sql.ts"
import { answer } from "../../../kernel/tasks/actions/answer.ts"
import type { Creator } from "../../../kernel/tasks/actions/create-task.ts"
import { findTaskAgain } from "../../../kernel/tasks/actions/find-task.ts"
import { reject } from "../../../kernel/tasks/actions/reject.ts"
import { restart } from "../../../kernel/tasks/actions/restart.ts"
import { resume } from "../../../kernel/tasks/actions/resume.ts"
import { say } from "../../../kernel/tasks/actions/say.ts"
import { toAnswer } from "../../../kernel/tasks/prompts/answers.ts"
import { listOpenQuestions } from "../../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../../kernel/tasks/rows/row.ts"
import { ALLOW, isAwaited, type Question } from "../../../kernel/tasks/rules/question.ts"
import type { ThreadReply } from "../source.ts"
import { isShownWhole } from "./rules/notes.ts"
import { effectOf, replyPrompt } from "./rules.ts"

export type ToDeliver = ThreadReply & {
  /** The keys of the notes about open questions, by question. */
  readonly asked: ReadonlyMap<number, string>
}

/**
 * A reply never answers a question that its author had not read.
 *
 * @param records runs in the transaction that delivers the reply.
 * @returns `hold`: the reply must wait. `over`: the conversation has ended.
 * @throws {AppError} (user) if the task refuses it.
 */
export async function deliverReply(
  fleet: Creator,
  known: Pick<Task, "id">,
  reply: ToDeliver,
  records: () => void,
): Promise<"delivered" | "hold" | "over"> {
  const { db } = fleet
  const task = findTaskAgain(fleet, known)
  const { laterNotes, asked } = reply
  const isRead = (id: number) => {
    const key = asked.get(id)
    return key !== undefined && !laterNotes.includes(key)
  }
  const question = listOpenQuestions(db, task.id).find((one) => isAwaited(one) && isRead(one.id))
  const said = clean(reply.text).slice(0, TEXT_CHARS_MAX)
  const message = { text: replyPrompt(reply.author, said) }
  const together = (act: () => void) =>
    transaction(db, () => {
      act()
      records()
    })
  const effect = effectOf(task, question !== undefined)
  if (effect === "hold" || effect === "over") return effect
  if (effect === "answer" && question && !isShownWhole(question)) refuseUnseen(question, said)
  if (effect === "answer")
    await answer(fleet, task, { question: question?.id, answer: said }, records)
  if (effect === "say") together(() => say(fleet, task, message))
  if (effect === "reject") together(() => reject(fleet, task, { feedback: message.text }))
  if (effect === "resume") together(() => resume(fleet, task, message))
  if (effect === "restart") await restart(fleet, task, message, { records })
  return "delivered"
}

function refuseUnseen(question: Question, said: string): void {
  if (question.kind !== "permission" || toAnswer(question, said) !== ALLOW) return
  throw new DaemonError(
    "question.unclear",
    "This chat did not show all of it, so you cannot allow it here.",
    [`\`coppice answer ${question.task}\` shows all of it, and how to decide.`],
  )
}
