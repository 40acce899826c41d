/** Carries out what an address in a notification allows: once, and only while nothing has moved on. */
import { isDeepStrictEqual } from "node:util"
import type { Fleet } from "../../api/fleet.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { answer } from "../../kernel/tasks/actions/answer.ts"
import { approve } from "../../kernel/tasks/actions/approve.ts"
import { refuseBusy } from "../../kernel/tasks/actions/refuse-in-use.ts"
import { reject } from "../../kernel/tasks/actions/reject.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { readCode } from "./link-codes.ts"
import { listLinkSubjects } from "./link-subjects.ts"
import { type ActionLink, findActionLink, spendActionLink } from "./rows.ts"

type Open = { readonly link: ActionLink; readonly task: Task }

/** @throws {DaemonError} `link.unknown`, `link.expired`, `link.used`, `link.stale` (user). */
export function findOpenLink({ db, world }: FleetRows, code: string): Open {
  const id = readCode(db, code)
  if (id === undefined) throw refusal("unknown", "This address is not complete, or not ours.")
  const link = findActionLink(db, id)
  const task = link && findTask(db, link.task)
  if (!link || !task || link.untilMs <= world.nowMs())
    throw refusal("expired", "This address is too old, or its task was deleted.")
  if (link.usedAtMs !== null) throw used()
  const isAsked = listLinkSubjects(db, task).some(
    ({ action, subject }) => action === link.action && isDeepStrictEqual(subject, link.subject),
  )
  if (!isAsked) throw refusal("stale", `Task ${task.id} has moved on: it no longer asks for this.`)
  return { link, task }
}

/** @param text the feedback of a rejection, or the answer. @throws {DaemonError} as above, and as its action. */
export async function actOnLink(fleet: Fleet, code: string, text: string): Promise<Open> {
  const { db, world } = fleet
  const open = findOpenLink(fleet, code)
  const { link, task } = open
  refuseBusy(fleet, task, "changed")
  fleet.retry(task.id)
  const spend = () => {
    if (!spendActionLink(db, link.id, world.nowMs())) throw used()
  }
  const { action, subject } = link
  if ("question" in subject) {
    if (text === "") throw new DaemonError("question.unclear", "The answer is empty.")
    await answer(fleet, task, { answer: text, question: subject.question }, spend)
    return open
  }
  transaction(db, () => {
    spend()
    if (action === "approve") approve(fleet, task, "plan" in subject ? subject : {})
    else reject(fleet, task, text === "" ? {} : { feedback: text })
  })
  return open
}

const used = () => refusal("used", "This address has been used. It works once.")

function refusal(code: "unknown" | "expired" | "used" | "stale", message: string): DaemonError {
  return new DaemonError(`link.${code}`, message, ["The page of the task shows how it stands."])
}
