/** Opens a turn that delivers all messages and answers of people to an agent. */
import type { TaskId } from "../../core/ids.ts"
import { repliesPrompt } from "../../core/prompts/message.ts"
import { takeWords } from "../messages/take-words.ts"
import type { Db } from "../open.ts"
import { latestSession } from "../sessions/latest.ts"
import { transaction } from "../sql.ts"
import { findTask } from "../tasks/find.ts"
import { findOpenTurn } from "./find-open.ts"
import { openNextTurn } from "./open-next.ts"

/** The turn uses the same session. @returns whether a turn now delivers them all. */
export function openReplyTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    if (!latestSession(db, task) || findOpenTurn(db, task)) return false
    const phase = findTask(db, task)?.state === "planning" ? "planning" : "working"
    const prompt = repliesPrompt(takeWords(db, task, nowMs), phase)
    if (prompt === "") return false
    openNextTurn(db, { task, prompt }, nowMs)
    return true
  })
}
