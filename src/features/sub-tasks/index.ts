/** Sub-tasks: an agent proposes tasks, and waits for their ends. */
import { sectionOf } from "../../api/documents/feature-parts.ts"
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { proposeTask } from "./propose-task.ts"
import { listAllChildren, listChildren } from "./rows/family.ts"
import { findAwaitedBelow, listAwaited } from "./rows.ts"
import { followSubTasks } from "./sub-tasks.ts"

export const subTasks: Feature = {
  name: "sub-tasks",
  uses: ["pull-requests", "stacks"],
  verbs: { propose_task: proposeTask },
  section: sectionOf(listChildren, listAllChildren, (children = []) => ({
    children: children.map(String),
  })),
  why: {
    facts: (db, { id }) => ({
      awaited: { ...listAwaited(db, id), asks: findAwaitedBelow(db, id) ?? null },
    }),
    /** Null while its agent has a turn. */
    reason: (db, { id, state }) => {
      if (state !== "working") return null
      const { tasks, proposals } = listAwaited(db, id)
      if (tasks.length + proposals.length === 0 || findOpenTurn(db, id)) return null
      const awaited = tasks.length > 0 ? `sub-task ${tasks.join(", ")}` : PROPOSALS
      return { code: "sub_tasks", text: `waits for ${awaited}` }
    },
  },
  create: ({ fleet, onError }) => driving(followSubTasks(fleet, onError("sub-task"))),
}

const PROPOSALS = "the answer to its proposals of tasks"
