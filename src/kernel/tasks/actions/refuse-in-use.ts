/** Refuses actions on a task whose conversation or work item is in use. */
import { DaemonError } from "../../errors.ts"
import type { Db } from "../../store/open.ts"
import { type Attachments, listAttached } from "../rows/attached.ts"
import type { Task } from "../rows/row.ts"
import { findActiveWorkItem } from "../rows/work-item.ts"

/**
 * A session never runs twice at the same time.
 *
 * @param participle completes the sentence `it cannot be <participle> now`.
 * @throws {DaemonError} `task.refused` (user) while a person has the conversation open.
 */
export function refuseAttached(
  { findAttached }: Attachments,
  { id, attached }: Task,
  participle: string,
): void {
  const pid = attached ? findAttached(attached) : undefined
  if (pid === undefined) return
  const message = `A person has the conversation of task ${id} open (\`coppice attach\`, process ${pid}): it cannot be ${participle} now.`
  throw new DaemonError("task.refused", message, [
    "The task continues when that program is closed.",
  ])
}

/**
 * The same for a task that is being deleted.
 *
 * @throws {DaemonError} `task.refused` (user)
 */
export function refuseBusy(fleet: Attachments, task: Task, participle: string): void {
  refuseAttached(fleet, task, participle)
  if (task.deletion === null) return
  throw new DaemonError("task.refused", `Task ${task.id} is being deleted.`, [
    "`coppice ls` shows when that has ended.",
  ])
}

/**
 * The same for anything that would use the conversation, since tasks of one work item share it.
 *
 * @throws {DaemonError} `task.refused` (user), likewise.
 */
export function refuseOpenConversation(
  fleet: Attachments & { readonly db: Db },
  task: Task,
  participle: string,
): void {
  refuseAttached(fleet, task, participle)
  const { agent, workItem } = task
  if (agent === null || workItem === null) return
  for (const attached of listAttached(fleet.db, { agent, workItem }))
    refuseAttached(fleet, { ...task, attached }, participle)
}

/** @throws {DaemonError} `work_item.active` (user), with `hint` at the end of its hints. */
export function refuseActiveWorkItem(db: Db, workItem: string | null, hint?: string): void {
  const active = workItem === null ? undefined : findActiveWorkItem(db, workItem)
  if (active === undefined) return
  throw new DaemonError("work_item.active", `Task ${active} already works on ${workItem}.`, [
    `\`coppice show ${active}\` shows it; \`coppice cancel ${active}\` gives it up.`,
    ...(hint === undefined ? [] : [hint]),
  ])
}
