/** Lists the decisions and answers that a task needs from a person now. */

import { listPendingApprovals } from "../../kernel/landing/rows/approvals.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { Db } from "../../kernel/store/open.ts"
import { awaitsApproval } from "../../kernel/tasks/actions/approve.ts"
import { planId } from "../../kernel/tasks/plan-id.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { LinkAction, LinkSubject } from "./rules.ts"

export type Asked = { readonly action: LinkAction; readonly subject: LinkSubject }

export function listLinkSubjects(db: Db, task: Task): Asked[] {
  const decided = findDecided(db, task)
  const toDecide = ["approve", ...(task.agent === null ? [] : ["reject"])] as LinkAction[]
  const questions = task.state === "cancelled" ? [] : listOpenQuestions(db, task.id)
  return [
    ...(decided ? toDecide.map((action) => ({ action, subject: decided })) : []),
    ...questions.map(({ id }) => ({ action: "answer" as const, subject: { question: id } })),
  ]
}

/** The plan, or the commits, that wait for a person's word. */
function findDecided(db: Db, task: Task): LinkSubject | undefined {
  if (task.state === "planning_complete") return { plan: planId(task.plan ?? "") }
  const landing = findLandingOfTask(db, task.id)
  const commits = awaitsApproval(task, landing) ? listPendingApprovals(db, landing.id) : []
  return commits.length > 0 ? { commits } : undefined
}
