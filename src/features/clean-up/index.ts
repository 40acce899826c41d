/** Removes what is safely stored elsewhere: worktrees, branches, refs and old records. */

import { currentTaskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { addWorktree } from "./add-worktree.ts"

export const cleanUp: Feature = {
  name: "clean-up",
  uses: ["pool", "uninstall"],
  routes: {
    planGc: ({ fleet }) => fleet.maintenance.plan(),
    gc: ({ fleet }) => fleet.maintenance.collect(),
    worktrees: ({ fleet, given }) => fleet.maintenance.worktrees(given.sizes),
    addWorktree: async ({ fleet, given }) => {
      const { task, created } = await addWorktree(fleet, given)
      return { task: await currentTaskDocument(fleet, task), created }
    },
    removeWorktree: async ({ fleet, ref }) => ({
      items: await fleet.maintenance.remove(findTaskByRef(fleet, ref)),
    }),
    pruneWorktrees: async ({ fleet }) => ({ items: await fleet.maintenance.prune() }),
  },
}
