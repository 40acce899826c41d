/** Lists the open questions of a task's sub-tasks. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/tasks/question.ts"
import type { Db } from "../open.ts"
import { listBelow } from "../tasks/family.ts"
import { listOpenQuestions } from "./list.ts"

/** Includes the sub-tasks of sub-tasks. */
export function listOpenBelow(db: Db, task: TaskId): Question[] {
  return listBelow(db, task).flatMap((below) => listOpenQuestions(db, below))
}
