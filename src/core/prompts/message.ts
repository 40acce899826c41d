/** What an agent is told when a person says something to it. Pure. */
import type { Question } from "../question.ts"
import { answersPrompt } from "./answers.ts"

/**
 * The next turn's prompt, in the same conversation.
 *
 * @param texts the person's own words, oldest first.
 * @param phase while it plans, its last message is still to be the whole plan.
 */
function messagePrompt(texts: readonly string[], phase: "planning" | "working"): string {
  const still = "Still change nothing: your last message is to be the plan, whole."
  const rest = phase === "planning" ? [still] : []
  return ["A person who looks after this task tells you:", ...texts, ...rest].join("\n\n")
}

/** Answers and words together, so that neither waits for a turn of its own; empty where there are none. */
export function toldPrompt(
  { answers, texts }: { readonly answers: readonly Question[]; readonly texts: readonly string[] },
  phase: "planning" | "working",
): string {
  const parts = [
    answers.length > 0 ? answersPrompt(answers, phase) : "",
    texts.length > 0 ? messagePrompt(texts, phase) : "",
  ]
  return parts.filter(Boolean).join("\n\n")
}
