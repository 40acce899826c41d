/** The cost of constant progress reports for the daemon and its followers. */
import { existsSync } from "node:fs"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { EVERY_MS, FOR_MS, type Load, loadOnce, TASKS } from "./reporting-fleet.ts"

const LOAD = `${TASKS} tasks at work report every ${EVERY_MS} ms for ${FOR_MS / 1000} s`

const memory: Figure = {
  name: "progress-memory",
  subject: `${LOAD}: resident memory of the daemon, for each task`,
  baseline: "the same daemon at rest, divided alike",
  unit: "MiB",
  addedMax: 1,
  measure: of(({ restMiB, busyMiB }) => ({
    baseline: [restMiB / TASKS],
    subject: [busyMiB / TASKS],
  })),
}

const latency: Figure = {
  name: "progress-latency",
  subject: `${LOAD}: from a report to the event that a follower sees, 95th percentile`,
  baseline: "nothing",
  unit: "ms",
  addedMax: 100,
  measure: of(({ latenciesMs }) => ({ baseline: [0], subject: [percentile(latenciesMs, 0.95)] })),
}

const loop: Figure = {
  name: "progress-loop",
  subject: `${LOAD}: how late the daemon's event loop is, 99th percentile`,
  baseline: "nothing",
  unit: "ms",
  addedMax: 50,
  measure: of(({ loopMs }) => ({ baseline: [0], subject: [loopMs] })),
}

export const progress: readonly Figure[] = [memory, latency, loop]

function of(read: (load: Load) => Samples) {
  return async (place: Place): Promise<Samples | NotMeasurable> => {
    if (!existsSync("/proc/self/status")) return { notMeasurable: "there is no /proc" }
    return read(await loadOnce(place))
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}
