/** How many landings a target takes, one after another, against as many disposable worktrees. */
import type { Figure, Place, Samples } from "./figure.ts"
import { BY_HAND, COMMITS, Lander, Landings } from "./landings.ts"
import { timeRounds, WARM_UPS } from "./rounds.ts"

const FILES = 10_000
const READY = 64
const ROUNDS = 3

export const landingQueue: Figure = {
  name: "queue",
  subject: `${READY} branches of ${COMMITS} commits in the queue, no gate, until the last is landed and recorded; for each; ${FILES} files`,
  baseline: BY_HAND,
  unit: "ms",
  ratioMax: 0.15,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  const rounds = ROUNDS + WARM_UPS
  const landings = new Landings(place, { files: FILES, count: rounds * READY })
  await using lander = new Lander("queue-lander.ts", place)
  const ready = (round: number) =>
    Array.from({ length: READY }, (_, n) => landings.work(`ours-${READY * round + n}`))
  return await timeRounds({
    rounds: ROUNDS,
    signal: place.signal,
    prepare: () => landings.reset(),
    baseline: (round) => landings.landByHand(`theirs-${round}`),
    subject: async (round) => (await lander.land(ready(round), "landed")) / READY,
  })
}
