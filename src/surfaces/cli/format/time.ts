/** Times as people say them. */

const STEPS = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "m", ms: 60_000 },
] as const

/** A span in its largest unit, rounded down: `4s`, `3m`, `2h`, `5d`. */
export function spanText(ms: number): string {
  const step = STEPS.find((candidate) => ms >= candidate.ms)
  return step ? `${Math.floor(ms / step.ms)}${step.unit}` : `${Math.max(0, Math.floor(ms / 1000))}s`
}

export function ageText(time: string, nowMs: number): string {
  return spanText(nowMs - Date.parse(time))
}

/** The time of day here, of an ISO time. */
export function clock(time: string): string {
  return new Date(time).toTimeString().slice(0, 8)
}

/** The minute here, of an ISO time: `2026-05-31 09:00`. */
export function minute(time: string): string {
  const at = new Date(time)
  const two = (part: number) => String(part).padStart(2, "0")
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-")
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}
