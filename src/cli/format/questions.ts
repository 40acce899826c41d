/** The questions of a task's agent, in full. Invisible characters are shown, since a person answers. */
import { reveal } from "../../core/shown.ts"
import type { QuestionsDocument } from "../../core/wire/agent.ts"

export function questionLines({ questions }: QuestionsDocument): string[] {
  if (questions.length === 0) return ["It asks nothing."]
  return questions.flatMap(({ id, task, text, choices }) => [
    `Question ${id}: ${reveal(text)}`,
    ...choices.map((choice, at) => `  ${at + 1}. ${reveal(choice)}`),
    `  coppice answer ${task}${questions.length > 1 ? ` --question ${id}` : ""} "…"`,
  ])
}
