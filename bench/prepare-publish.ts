/** The cost of landing: prepare and publish, against a disposable worktree, in small and large repositories. */
import type { Figure, Place, Samples } from "./figure.ts"
import { BY_HAND, COMMITS, COMMITS_BEHIND, LANDED_AHEAD, Lander, Landings } from "./landings.ts"
import { timeRounds, WARM_UPS } from "./rounds.ts"

const SMALL = 200
const LARGE = 50_000
/** Too short to notice next to a gate, at any size. */
const LANDING_MS_MAX = 60
const subject = `prepare to publish of ${COMMITS} commits, ${COMMITS_BEHIND} behind, target not checked out, after ${LANDED_AHEAD} others`

type Size = Pick<Figure, "name" | "subjectMax"> & { readonly ratioMax: number } & {
  readonly files: number
  readonly rounds: number
}

function landing({ files, rounds, ...figure }: Size): Figure {
  const described = {
    subject: `${subject}; ${files} files`,
    baseline: BY_HAND,
    unit: "ms",
  } as const
  return { ...figure, ...described, measure: (place) => measure(place, { files, rounds }) }
}

/** The growth from a small repository to a large one. */
const growth: Figure = {
  name: "land-growth",
  subject: `${subject}; ${LARGE} files`,
  baseline: `the same; ${SMALL} files`,
  unit: "ms",
  ratioMax: 2,
  measure: measureGrowth,
}

export const preparePublish: readonly Figure[] = [
  landing({
    name: "land-small",
    files: SMALL,
    rounds: 15,
    ratioMax: 1.2,
    subjectMax: LANDING_MS_MAX,
  }),
  landing({ name: "land", files: 10_000, rounds: 9, ratioMax: 0.1, subjectMax: LANDING_MS_MAX }),
  landing({
    name: "land-large",
    files: LARGE,
    rounds: 5,
    ratioMax: 0.04,
    subjectMax: LANDING_MS_MAX,
  }),
  growth,
]

async function measure(
  place: Place,
  { files, rounds }: Pick<Size, "files" | "rounds">,
): Promise<Samples> {
  const landings = new Landings(place, { files, count: rounds + WARM_UPS + LANDED_AHEAD })
  await using lander = new Lander("lander.ts", place)
  return await timeRounds({
    rounds,
    ahead: LANDED_AHEAD,
    signal: place.signal,
    prepare: () => landings.reset(),
    baseline: (round) => landings.landByHand(`theirs-${round}`),
    subject: (round) => lander.land(landings.work(`ours-${round}`), "cleaning"),
  })
}

const GROWTH_ROUNDS = 15

async function measureGrowth(place: Place): Promise<Samples> {
  const count = GROWTH_ROUNDS + WARM_UPS + LANDED_AHEAD
  const [small, large] = [SMALL, LARGE].map((files) => new Landings(place, { files, count }))
  await using lander = new Lander("lander.ts", place)
  const land = (landings: Landings) => (round: number) =>
    lander.land(landings.work(`ours-${round}`), "cleaning")
  return await timeRounds({
    rounds: GROWTH_ROUNDS,
    ahead: LANDED_AHEAD,
    signal: place.signal,
    baseline: land(small!),
    subject: land(large!),
    prepare: () => {
      for (const landings of [small, large]) landings!.reset()
    },
  })
}
