/** Names the commands that lead on: only those that are possible now. Pure. */
import { type Action, type Actionable, possibleActions, possibleNow } from "../tasks/transitions.ts"

/** Those of some ways on that are possible now, as a part of a sentence; undefined if none is. */
export function waysOn(
  can: readonly Action[],
  ways: readonly (readonly [action: Action, words: string])[],
  between = ", or ",
): string | undefined {
  const words = ways.filter(([action]) => can.includes(action)).map(([, words]) => words)
  return words.length > 0 ? words.join(between) : undefined
}

type Named = Actionable & { readonly id: number }

/** For a task whose agent takes no words now: the commands that give them to it, or what is possible. */
export function wordsInstead(task: Named): readonly string[] {
  const { id, state } = task
  const can = possibleActions(task)
  if (can.includes("reject"))
    return [`\`coppice reject ${id} "<words>"\` sends its work back with your words.`]
  if (can.includes("resume"))
    return [`\`coppice resume ${id} "<words>"\` continues it, and its agent gets your words then.`]
  if (can.includes("restart"))
    return [`\`coppice restart ${id} "<words>"\` starts it again with your words.`]
  if (state === "merging" && task.agent !== null)
    return [`Once it is complete, \`coppice resume ${id} "<words>"\` continues it with your words.`]
  return [possibleNow(task)]
}
