/** The addresses in a notification: the page of its task, and those that act. */

import type { FleetRows } from "../../kernel/home.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { NoticeLinks } from "../hooks/rules/notices.ts"
import { codeOf, LINK_PATH } from "./link-codes.ts"
import { listLinkSubjects } from "./link-subjects.ts"
import { addActionLink } from "./rows.ts"
import { LINK_MS } from "./rules.ts"

/** `#` keeps the number of the task from the logs of proxies. */
export const pageOf = (origin: string, task: Task): string => `${origin}/#/task/${task.id}`

/**
 * @param origin of the dashboard as the reader reaches it.
 * @param event that the message is about. It names the question, if there are several.
 */
export function noticeLinks(
  { db, world }: FleetRows,
  { task, origin, event }: { task: Task; origin: string; event: StoredEvent },
): NoticeLinks {
  const nowMs = world.nowMs()
  const asked = listLinkSubjects(db, task)
  const named = asked.filter(
    ({ subject }) => "question" in subject && subject.question === event.data["question"],
  )
  const questions = asked.filter(({ action }) => action === "answer")
  const decisions = asked.filter(({ action }) => action !== "answer")
  const offered = [...decisions, ...(named.length > 0 ? named : questions).slice(0, 1)]
  const actions = offered.map(({ action, subject }) => {
    const link = { event: event.seq, task: task.id, action, subject, untilMs: nowMs + LINK_MS }
    return { action, url: `${origin}${LINK_PATH}${codeOf(db, addActionLink(db, link, nowMs))}` }
  })
  return { page: pageOf(origin, task), actions }
}
