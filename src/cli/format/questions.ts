/** The questions of a task's agent, in full, as a person judges them. */
import { quote } from "../../core/shown.ts"
import type { QuestionsDocument } from "../../core/wire/agent.ts"

export function questionLines({ questions }: QuestionsDocument): string[] {
  if (questions.length === 0) return ["It asks nothing."]
  return questions.flatMap(({ id, task, text, choices }) => [
    `Question ${id}: ${quote(text)}`,
    ...choices.map((choice, at) => `  ${at + 1}. ${quote(choice)}`),
    `  coppice answer ${task}${questions.length > 1 ? ` --question ${id}` : ""} "…"`,
  ])
}
