/** The prompt that goes on with an interrupted turn, whose prompt the conversation already holds. */
import type { SessionStart } from "../../kernel/runtime/runtime.ts"

const INTERRUPTED =
  "You were interrupted while you worked on the following; your files are as you left them. " +
  "See how far you got, then go on."

/** When an interrupted turn is resumed, the conversation already holds its prompt. */
export function firstPrompt({ turn }: Pick<SessionStart, "turn">, resume: boolean): string {
  return resume && turn.repeated ? `${INTERRUPTED}\n\n${turn.prompt}` : turn.prompt
}
