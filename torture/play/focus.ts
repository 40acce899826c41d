/**
 * Situations that a torture can bring about often: what they add to an agent's first turn.
 *
 * A play of everything meets each of them rarely, and a kill can hide what follows from one: the
 * guard of a killed daemon ends the processes that the daemon forgot.
 */
import type { TortureFocus } from "../../src/core/torture-focus.ts"

export type Focus = {
  /** Before the last commit of the turn, in shell. */
  readonly work: string
  /** How the turn ends; undefined: in any way. */
  readonly end: string | undefined
  /** Whether daemons are killed and ended during the play. */
  readonly hasKills: boolean
}

export const FOCUSES: Readonly<Record<TortureFocus, Focus>> = {
  "red-gates": { work: `touch "torture/red-$COPPICE_TASK"`, end: "", hasKills: true },
  "left-files": {
    ...{ work: "", hasKills: true },
    end: "echo left > torture/left-$COPPICE_TASK; ends=3",
  },
  "background-processes": { work: "", end: "sleep 300 &", hasKills: false },
}
