/** Measures two things alternately. */
import type { Samples } from "./figure.ts"

/** A number that it returns is how long it took, in ms, where it knows better than its caller. */
type Work = (round: number) => unknown

export type Compared = {
  readonly rounds: number
  readonly signal: AbortSignal
  /** So often the subject alone is brought about first, as further rounds: where ours is a program that stays. */
  readonly ahead?: number
  /** Not timed; brings about what each of the two starts from. */
  prepare?(): void
  baseline: Work
  subject: Work
}

/** Caches are filled, and code is compiled, before anything counts. */
export const WARM_UPS = 2

/**
 * Times both in every round, in ms. Which one comes first changes from round to round, so that
 * neither always finds the caches as the other one left them.
 */
export async function timeRounds(compared: Compared): Promise<Samples> {
  const samples = { baseline: [] as number[], subject: [] as number[] }
  const rounds = WARM_UPS + compared.rounds
  for (let round = rounds; round < rounds + (compared.ahead ?? 0); round++) {
    compared.signal.throwIfAborted()
    compared.prepare?.()
    await compared.subject(round)
  }
  for (let round = 0; round < rounds; round++) {
    const names = ["baseline", "subject"] as const
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      compared.signal.throwIfAborted()
      compared.prepare?.()
      const timeMs = await time(compared[name], round)
      if (round >= WARM_UPS) samples[name].push(timeMs)
    }
  }
  return samples
}

async function time(work: Work, round: number): Promise<number> {
  const startMs = performance.now()
  const told = await work(round)
  return typeof told === "number" ? told : performance.now() - startMs
}
