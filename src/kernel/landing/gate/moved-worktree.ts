/** The outcome of a landing whose worktree moved while its gate ran: it begins again. */
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { Outcome, Rows, Step } from "../action.ts"
import { countGateMoves } from "../rows/gate-worktree.ts"
import { blocked } from "../waiting-outcomes.ts"

type Gate = { readonly title: string; readonly worktree: string | null }

/** A person seldom commits in three runs of a gate. A gate that commits without our mark always does. */
const MOVES_MAX = 2

/** The landing begins again; but not for ever. */
export async function moved(
  step: Step<Rows>,
  { title, worktree }: Gate,
  reason: string,
): Promise<Outcome> {
  if (countGateMoves(step.context.db, step.landing) < MOVES_MAX) return { event: "moved", reason }
  const commit = worktree && (await readCommit(worktree, "HEAD"))
  const cure = `If the gate \`${title}\` made it, let the gate commit nothing, or neither set GIT_COMMITTER_NAME or GIT_CONFIG_COUNT nor clear its environment, and take the commit off`
  return blocked(step, "GATE_UNAVAILABLE", {
    reason: `${reason}, ${MOVES_MAX + 1} times; HEAD is at ${commit}. ${cure}. Then \`coppice land ${step.task.id}\``,
  })
}
