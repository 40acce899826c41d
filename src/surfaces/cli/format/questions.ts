/** The questions of a task's agent, in full, as a person judges them. */

import type { QuestionsDocument } from "../../../api/wire/agent.ts"
import { quote } from "../../../base/text/shown.ts"

export function questionLines({ questions, ofSubTasks }: QuestionsDocument): string[] {
  const all = [...questions, ...ofSubTasks]
  if (all.length === 0) return ["It has no open question."]
  const own = new Set(questions)
  return all.flatMap((question) => {
    const { id, task, text, choices } = question
    const isOnly = all.filter((one) => one.task === task).length === 1
    return [
      `${own.has(question) ? "Question" : `Sub-task ${task}, question`} ${id}: ${quote(text)}`,
      ...choices.map((choice, at) => `  ${at + 1}. ${quote(choice)}`),
      `  coppice answer ${task}${isOnly ? "" : ` --question ${id}`} "…"`,
    ]
  })
}
