/** The kill storm: tortures with a seed each, some at a time, until so many kills have struck. */
import { TortureDocument } from "../src/features/torture/wire.ts"
import { runNode } from "./run.ts"

export type Storm = {
  /** The tortured program: bin/coppice.js of the built package. */
  readonly launcher: string
  /** A repository, which is only cloned. */
  readonly repo: string
  /** Where all of it happens. */
  readonly scratch: string
  readonly kills: number
  /** The seed of the first round; the next ones count up. */
  readonly seed: number
  readonly jobs: number
  readonly signal: AbortSignal
  tell(line: string): void
}

/** Enough for tasks, kills and users to meet; a round takes a few minutes on a slow machine. */
const KILLS_A_ROUND = 50
/** Far more than a round takes: this one hangs. */
const ROUND_MS_MAX = 30 * 60_000

/** @returns the rounds, in the order of their seeds. */
export async function storm(of: Storm): Promise<readonly TortureDocument[]> {
  const rounds = Array.from({ length: Math.ceil(of.kills / KILLS_A_ROUND) }, (_, n) => ({
    seed: of.seed + n,
    kills: Math.min(KILLS_A_ROUND, of.kills - n * KILLS_A_ROUND),
  }))
  const done: TortureDocument[] = []
  const open = [...rounds]
  const work = async () => {
    for (let round = open.shift(); round && !of.signal.aborted; round = open.shift()) {
      const document = await torture(of, round)
      done.push(document)
      const broken = document.violations.map(({ property, text }) => `\n  ${property}: ${text}`)
      of.tell(`seed ${round.seed}: ${done.length} of ${rounds.length} rounds${broken.join("")}`)
      if (document.folder) of.tell(`  left to look into: ${document.folder}`)
    }
  }
  await Promise.all(Array.from({ length: of.jobs }, work))
  return done.toSorted((a, b) => a.seed - b.seed)
}

async function torture(of: Storm, { seed, kills }: { seed: number; kills: number }) {
  const { launcher, repo, scratch, signal } = of
  const options = ["--repo", repo, "--seed", String(seed), "--kills", String(kills), "--json"]
  const args = [launcher, "torture", ...options]
  const ran = await runNode({ args, cwd: scratch, scratch, signal, timeoutMs: ROUND_MS_MAX })
  try {
    return TortureDocument.parse(JSON.parse(ran.stdout))
  } catch {
    const said = ran.stderr.trim().split("\n").at(-1)
    throw new Error(`the torture with seed ${seed} ended with ${ran.code}: ${said}`)
  }
}
