/** Keeps two tasks from working on one work item at a time. */
import type { Db } from "../../store/open.ts"
import { findActiveWorkItem } from "../../store/tasks/work-item.ts"
import { DaemonError } from "../errors.ts"

/** @throws {DaemonError} `work_item.active` (user) */
export function refuseActiveWorkItem(db: Db, workItem: string | null): void {
  const active = workItem === null ? undefined : findActiveWorkItem(db, workItem)
  if (active === undefined) return
  throw new DaemonError("work_item.active", `Task ${active} already works on ${workItem}.`, [
    `\`coppice show ${active}\` shows it; \`coppice cancel ${active}\` gives it up.`,
    "With `workspace.when_busy: queue` in coppice.yml a new task waits for its work item.",
  ])
}
