/** Names the commands that lead on: only those that are possible now. Pure. */
import type { Action } from "../../tasks/rules/action.ts"
import { type Actionable, possibleActions, possibleNow } from "../../tasks/rules/transitions.ts"

/** The ways on that are possible now, as a part of a sentence; undefined if none is. */
export function waysOn(
  can: readonly Action[],
  ways: readonly (readonly [action: Action, text: string])[],
  between = ", or ",
): string | undefined {
  const texts = ways.filter(([action]) => can.includes(action)).map(([, text]) => text)
  return texts.length > 0 ? texts.join(between) : undefined
}

type Named = Actionable & { readonly id: number }

/** For a task whose agent takes no message now: the commands that give it one, or what is possible. */
export function wordsInstead(task: Named): readonly string[] {
  const { id, state } = task
  const can = possibleActions(task)
  if (can.includes("reject"))
    return [`\`coppice reject ${id} "<feedback>"\` sends its work back with your feedback.`]
  if (can.includes("resume"))
    return [
      `\`coppice resume ${id} "<message>"\` continues it, and its agent gets your message then.`,
    ]
  if (can.includes("restart"))
    return [`\`coppice restart ${id} "<message>"\` starts it again with your message.`]
  if (state === "merging" && task.agent !== null)
    return [
      `Once it is complete, \`coppice resume ${id} "<message>"\` continues it with your message.`,
    ]
  return [possibleNow(task)]
}
