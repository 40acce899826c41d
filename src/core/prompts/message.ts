/** What an agent is told when a person says something to it. Pure. */

/**
 * The next turn's prompt, in the same conversation.
 *
 * @param texts the person's own words, oldest first.
 * @param phase while it plans, its last message is still to be the whole plan.
 */
export function messagePrompt(texts: readonly string[], phase: "planning" | "working"): string {
  const still = "Still change nothing: your last message is to be the plan, whole."
  const rest = phase === "planning" ? [still] : []
  return ["A person who looks after this task tells you:", ...texts, ...rest].join("\n\n")
}
