/** The short form of a task in the answers of `coppice mcp`, and the inputs that its tools share. */
import { z } from "zod"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { LINE_CHARS_MAX } from "../../base/input-bounds.ts"

export function briefly({ id, title, agent, state, reason, attention, landing }: TaskDocument) {
  return {
    id,
    title,
    agent,
    state,
    reason,
    needsYou: attention,
    landing: landing && {
      id: landing.id,
      state: landing.state,
      outcome: landing.outcome,
      reason: landing.reason,
    },
  }
}

/** The answer of a tool that starts what takes long. */
export const followed = (task: TaskDocument) => ({
  task: briefly(task),
  next: `wait_task follows task ${task.id} until it is done or needs a person.`,
})

export const line = z.string().min(1).max(LINE_CHARS_MAX)
export const ref = line.describe("The task's id, branch, work item, or the beginning of its title")
