/**
 * Situations that a torture run can focus on. Each adds shell commands to an agent's first turn.
 *
 * Without a focus, each of them is rare, and a kill can hide its effects: when a daemon is killed,
 * its guard ends the processes that the daemon forgot.
 */
import type { TortureFocus } from "../../src/features/torture/focus.ts"

export type Focus = {
  /** Shell commands that run before the last commit of the turn. */
  readonly work: string
  /** Shell commands that end the turn; undefined if it may end in any way. */
  readonly end: string | undefined
  /** Whether daemons are killed and ended during the play. */
  readonly hasKills: boolean
}

export const FOCUSES: Readonly<Record<TortureFocus, Focus>> = {
  "red-gates": { work: `touch "torture/red-$COPPICE_TASK"`, end: "", hasKills: true },
  "left-files": {
    work: "",
    end: "echo left > torture/left-$COPPICE_TASK; ends=3",
    hasKills: true,
  },
  "background-processes": { work: "", end: "sleep 300 &", hasKills: false },
}
