/** A figure: how much more something of ours costs than what one would do without it. */

export type Figure = Compared & Bound

/** The subject may cost at most so many times the baseline, or so much more than it. */
type Bound = { readonly ratioMax: number } | { readonly addedMax: number }

type Compared = {
  /** The name on the command line. */
  readonly name: string
  /** The two things compared. */
  readonly subject: string
  readonly baseline: string
  readonly unit: "ms" | "MiB" | "KB"
  /** The cost to expect on a quiet machine: printed only, not checked. */
  readonly subjectMax?: number
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
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}

/** Taken alternately, so that other load on the machine affects both. */
export type Samples = { readonly baseline: readonly number[]; readonly subject: readonly number[] }
export type NotMeasurable = { readonly notMeasurable: string }

export type Result = {
  readonly verdict: "ok" | "over" | "not measured"
  /** One line for people. */
  readonly line: string
}

export function judge(figure: Figure, samples: Samples | NotMeasurable): Result {
  const { name, unit } = figure
  if ("notMeasurable" in samples)
    return { verdict: "not measured", line: `${name}: not measured here, ${samples.notMeasurable}` }
  const subject = median(samples.subject)
  const baseline = median(samples.baseline)
  const shown = (value: number) => `${value.toFixed(1)} ${unit}`
  const isRatio = "ratioMax" in figure
  const cost = isRatio ? subject / baseline : subject - baseline
  const max = isRatio ? figure.ratioMax : figure.addedMax
  const verdict = cost <= max ? "ok" : "over"
  const sign = isRatio ? "/" : "-"
  const [said, most] = isRatio ? [cost.toFixed(3), `${max}`] : [shown(cost), `${max} ${unit}`]
  const sides = `${shown(subject)} ${sign} ${shown(baseline)}`
  const { subjectMax } = figure
  const beside = subjectMax === undefined ? "" : ` (${shown(subject)} of ${shown(subjectMax)})`
  return { verdict, line: `${name}: ${sides} = ${said}, at most ${most}: ${verdict}${beside}` }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = Number.NaN, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}
