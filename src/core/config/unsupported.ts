/** Keys of coppice.yml that are designed but not built yet. `*` stands for a name. */
import { keyPattern } from "./names.ts"
import { isSection } from "./yaml.ts"

/** By key, the words that say what to write today. */
const KEYS: ReadonlyMap<string, string> = new Map([
  [
    "agents.*.schedules.*.work_source",
    "write it as `sources: { <name>: { type: <type>, agent: <agent>, interval: <interval> } }`, which needs no schedule",
  ],
])

/** The replacement for a key that a later version may have; undefined: there is no such key. */
export function insteadOfPlanned(path: readonly string[]): string | undefined {
  return KEYS.get(keyPattern(path))
}

/** How deep a planned key stands, with the file's own level. */
const STEPS_MAX = 5

/** The same file without planned keys that ask for nothing beyond the default. */
export function withoutIdleKeys(value: unknown, path: readonly string[] = []): unknown {
  if (!isSection(value) || path.length >= STEPS_MAX) return value
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const at = [...path, key]
    return insteadOfPlanned(at) !== undefined && isIdle(inner)
      ? []
      : [[key, withoutIdleKeys(inner, at)]]
  })
  return Object.fromEntries(kept)
}

function isIdle(value: unknown): boolean {
  const parts = isSection(value) ? Object.values(value) : [value]
  return parts.every((part) => part === false || (Array.isArray(part) && part.length === 0))
}
