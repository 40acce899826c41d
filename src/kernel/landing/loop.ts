/** Drives all landings, each as far as possible, different targets in parallel. */

import type { LandingId } from "../../base/ids.ts"
import { abortable } from "../git/start/limits.ts"
import { keepingGits } from "../git/start/trace-commands.ts"
import { recordGits } from "../store/log/git-commands.ts"
import { StoreLoop } from "../store/loop.ts"
import { findTask } from "../tasks/rows/find.ts"
import { ConfigGoneError } from "../tasks/rules/config-gone.ts"
import type { Configured, LandingContext } from "./action.ts"
import { recheckWait } from "./recheck-wait.ts"
import { findLanding } from "./rows/find.ts"
import { listDue, listRunnable, nextWakeMs } from "./rows/list.ts"
import { postponeLanding } from "./rows/record.ts"
import type { Landing } from "./rows/row.ts"
import { mustHalt } from "./take-from-queue.ts"
import { tickLanding } from "./tick.ts"
import { nextRecheckMs } from "./waiting-outcomes.ts"

/** The next look at a pull request is as configured; that of a wait depends on its cause. */
function nextLookMs({ repoConfig }: Configured, { state, outcome, repos }: Landing): number {
  const [repo] = repos
  if ((state !== "proposed" && state !== "failed") || !repo) return nextRecheckMs(outcome)
  try {
    return repoConfig(repo).forge.pollMs
  } catch (error) {
    if (!(error instanceof ConfigGoneError)) throw error
    return nextRecheckMs("FORGE_UNAVAILABLE") // the action of the state says so
  }
}

export function landingLoop(
  context: LandingContext,
  onError: (landing: LandingId | undefined, error: unknown) => void,
  describe?: (landing: LandingId, error: unknown) => Promise<string>,
): StoreLoop<LandingId> {
  const { db, world, taskLock, waits } = context
  return new StoreLoop<LandingId>(db, {
    onError,
    ...(describe && { describe }),
    list: (busy) =>
      [...listDue(db, world.nowMs()), ...listRunnable(db)]
        .map(({ id }) => id)
        .filter((id) => !busy.has(id)),
    isWithdrawn: (id) => {
      const landing = findLanding(db, id)
      const task = landing && findTask(db, landing.task)
      return !task || landing.state === "cancelled" || mustHalt(task, landing)
    },
    wakeInMs: (busy) => {
      const wakeMs = nextWakeMs(db, busy)
      return wakeMs === undefined ? undefined : Math.max(0, wakeMs - world.nowMs())
    },
    drive: async (id, signal) => {
      const landing = findLanding(db, id)
      if (!landing) return
      const { task } = landing
      // The next check has its time before this one begins: none repeats without a pause.
      const waitMs = nextLookMs(context, landing)
      postponeLanding(db, landing, { waitMs, nowMs: world.nowMs() })
      const tick = () => abortable(signal, () => tickLanding(context, id, signal))
      const look = () => abortable(signal, () => recheckWait(context, id, signal))
      const keep = (lines: readonly string[]) => recordGits(db, { task, lines }, world.nowMs())
      const drive = async () => {
        await taskLock.hold(task, look)
        while (!signal.aborted && (await taskLock.hold(task, tick)));
      }
      await waits.during(task, () => keepingGits(keep, drive))
    },
  })
}
