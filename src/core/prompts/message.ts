/** The prompt for messages from a person. Pure. */
import type { Question } from "../question.ts"
import { answersPrompt } from "./answers.ts"

/**
 * The next turn's prompt, in the same conversation.
 *
 * @param texts the person's own words, oldest first.
 * @param phase while the agent plans, its last message must still be the whole plan.
 */
function messagePrompt(texts: readonly string[], phase: "planning" | "working"): string {
  const still = "Still change nothing: your last message must be the whole plan."
  const rest = phase === "planning" ? [still] : []
  return ["A message from the person who looks after this task:", ...texts, ...rest].join("\n\n")
}

/** Answers and messages in one prompt, so that neither waits for another turn; possibly empty. */
export function repliesPrompt(
  { answers, texts }: { readonly answers: readonly Question[]; readonly texts: readonly string[] },
  phase: "planning" | "working",
): string {
  const parts = [
    answers.length > 0 ? answersPrompt(answers, phase) : "",
    texts.length > 0 ? messagePrompt(texts, phase) : "",
  ]
  return parts.filter(Boolean).join("\n\n")
}
