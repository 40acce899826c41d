/** Says how a fork begins: as a copy of a conversation, or with a brief of the work that it continues. */
import type { Db } from "../../kernel/store/open.ts"
import type { Forks } from "../../kernel/tasks/context.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { latestSession } from "../../kernel/tasks/rows/sessions/find.ts"
import { forkBrief, forkPrompt } from "./prompts.ts"
import { findForked } from "./rows.ts"

export const forksIn = (db: Db): Forks => ({
  findCopied: (task) => {
    const forked = findForked(db, task)
    return forked === undefined ? undefined : latestSession(db, forked)?.id
  },
  introduce: forkPrompt,
  brief: (task, prompt) => {
    const forked = findForked(db, task)
    return forked === undefined ? undefined : forkBrief(findTask(db, forked), prompt)
  },
})
