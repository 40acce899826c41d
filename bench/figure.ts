/** A figure: how much more something of ours costs than what one would do without it. */

export type Figure = {
  /** What is asked for on the command line. */
  readonly name: string
  /** What is compared. */
  readonly subject: string
  readonly baseline: string
  readonly unit: "ms" | "MiB"
  /** The subject may cost at most so many times the baseline. */
  readonly ratioMax: number
  measure(place: Place): Promise<Samples | NotMeasurable>
}

/** Where figures are measured. */
export type Place = {
  /** An empty folder for repositories, removed afterwards; in memory where the system has that. */
  readonly folder: string
  /** The same on a disk, for what must survive a loss of power. */
  readonly disk: string
  /** bin/coppice.js of the packed and installed package; made when it is first asked for. */
  readonly launcher: string
  /** Aborts when somebody has seen enough. */
  readonly signal: AbortSignal
}

/** Taken in turn, so that whatever else the machine does meets both. */
export type Samples = { readonly baseline: readonly number[]; readonly subject: readonly number[] }
export type NotMeasurable = { readonly notMeasurable: string }

export type Result = {
  readonly verdict: "ok" | "over" | "not measured"
  /** One line for people. */
  readonly line: string
}

export function judge(figure: Figure, samples: Samples | NotMeasurable): Result {
  const { name, unit, ratioMax } = figure
  if ("notMeasurable" in samples)
    return { verdict: "not measured", line: `${name}: not measured here, ${samples.notMeasurable}` }
  const subject = median(samples.subject)
  const baseline = median(samples.baseline)
  const ratio = subject / baseline
  const verdict = ratio <= ratioMax ? "ok" : "over"
  const shown = (value: number) => `${value.toFixed(1)} ${unit}`
  const line = `${name}: ${shown(subject)} / ${shown(baseline)} = ${ratio.toFixed(3)}, at most ${ratioMax}: ${verdict}`
  return { verdict, line }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = Number.NaN, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}
