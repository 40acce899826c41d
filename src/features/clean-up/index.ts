/** Removes what is safely stored elsewhere: worktrees, branches, refs and old records. */

import { currentTaskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { listRepositories } from "../../kernel/tasks/actions/list-repositories.ts"
import { makeTaskWorktree } from "./add-worktree.ts"
import { LeftLocks } from "./left-locks.ts"
import { Maintenance } from "./maintenance.ts"

export const cleanUp: Feature = {
  name: "clean-up",
  uses: ["pool", "uninstall"],
  routes: {
    planGc: ({ fleet }) => fleet.maintenance.preview(),
    gc: ({ fleet }) => fleet.maintenance.collect(),
    worktrees: ({ fleet, given }) => fleet.maintenance.worktrees(given.sizes),
    addWorktree: async ({ fleet, given }) => {
      const { task, created } = await makeTaskWorktree(fleet, given)
      return { task: await currentTaskDocument(fleet, task), created }
    },
    removeWorktree: async ({ fleet, ref }) => ({
      items: await fleet.maintenance.remove(findTaskByRef(fleet, ref)),
    }),
    pruneWorktrees: async ({ fleet }) => ({ items: await fleet.maintenance.prune() }),
  },
  create: ({ fleet, kernel, log }) => {
    const { home, name, config, findAgent } = fleet
    const listAll = () => listRepositories(fleet)
    const maintenance = new Maintenance(
      { ...kernel, home, name, config, findAgent, listRepositories: listAll },
      (error) => log.error({ err: error }, "cleaning up rests after an error"),
    )
    return { ...driving(maintenance), fleet: { maintenance } }
  },
  watch: async ({ db, log }) => {
    const locks = new LeftLocks(db, (error) => log.error({ err: error }, "locks are left alone"))
    await locks.start()
    return locks
  },
}
