/** Lists the open questions of a task's sub-tasks. */
import type { TaskId } from "../../../../base/ids.ts"
import { listBelow } from "../../../../features/sub-tasks/rows/family.ts"
import type { Db } from "../../../store/open.ts"
import type { Question } from "../../rules/question.ts"
import { listOpenQuestions } from "./list.ts"

/** Includes the sub-tasks of sub-tasks. */
export function listOpenBelow(db: Db, task: TaskId): Question[] {
  return listBelow(db, task).flatMap((below) => listOpenQuestions(db, below))
}
