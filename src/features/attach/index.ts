/** Gives a task's conversation to a person, in the agent's own program. */
import type { Feature } from "../../api/feature.ts"
import { currentDocument, retried } from "../../api/handler.ts"
import { refuseBusy } from "../../kernel/tasks/actions/refuse-in-use.ts"
import { listAttachedTasks } from "../../kernel/tasks/rows/attached.ts"
import { attach as attachTo, detach } from "./attach.ts"
import { findAttached } from "./attached-program.ts"
import { watchAttachments } from "./watch-attachments.ts"

export const attach: Feature = {
  name: "attach",
  routes: {
    attach: async ({ fleet, ref, given }) => {
      const task = retried(fleet, ref)
      refuseBusy(fleet, task, "attached to")
      return await attachTo(fleet, task, given)
    },
    detach: async ({ fleet, ref, given }) => {
      const task = retried(fleet, ref)
      detach(fleet, task, given)
      return await currentDocument(fleet, task)
    },
  },
  why: {
    facts: (_, { attached }) => ({
      attached: attached !== null && findAttached(attached) !== undefined,
    }),
  },
  create: ({ fleet, onError }) => {
    const { start, stop } = watchAttachments(fleet, onError("attached task"))
    return { start, end: stop }
  },
  // A task continues when the person closes its conversation.
  needsDaemon: (db) => listAttachedTasks(db).length > 0,
}
