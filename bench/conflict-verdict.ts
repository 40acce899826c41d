/** How soon a conflict is known, in a large repository, against a disposable worktree. */
import type { Figure, Place, Samples } from "./figure.ts"
import { COMMITS, COMMITS_BEHIND, LANDED_AHEAD, Lander, Landings } from "./landings.ts"
import { timeRounds, WARM_UPS } from "./rounds.ts"

const FILES = 50_000
const ROUNDS = 9

export const conflictVerdict: Figure = {
  name: "conflict",
  subject: `${COMMITS} commits, ${COMMITS_BEHIND} behind, until their conflict is handed back with its facts, after ${LANDED_AHEAD} others; ${FILES} files`,
  baseline: "git worktree add, rebase, until it stops",
  unit: "ms",
  ratioMax: 0.05,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const landings = new Landings(place, {
    files: FILES,
    count: ROUNDS + WARM_UPS + LANDED_AHEAD,
    conflicting: true,
  })
  await using lander = new Lander("lander.ts", place)
  return await timeRounds({
    rounds: ROUNDS,
    ahead: LANDED_AHEAD,
    signal: place.signal,
    baseline: (round) => landings.conflictByHand(`theirs-${round}`),
    subject: (round) => lander.land(landings.work(`ours-${round}`), "handed_back"),
  })
}
