/** Refuses verbs that need an open turn. */
import { DaemonError } from "../errors.ts"

export function turnIsOver(): DaemonError {
  return new DaemonError("turn.over", "Your turn is over: nothing that you say counts any more.", [
    "End now.",
  ])
}
