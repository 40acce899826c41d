/** Keys of coppice.yml that are designed but not built yet. `*` stands for a name. */
import { keyPattern } from "./names.ts"
import { isSection } from "./yaml.ts"

const KEYS = new Set(["agents.*.mcp_servers", "agents.*.schedules.*.work_source"])

/** Whether a later version will have a key at this path. */
export function isPlannedKey(path: readonly string[]): boolean {
  return KEYS.has(keyPattern(path))
}

/** How deep a planned key stands, with the file's own level. */
const STEPS_MAX = 5

/** The same file without planned keys that ask for nothing beyond the default. */
export function withoutIdleKeys(value: unknown, path: readonly string[] = []): unknown {
  if (!isSection(value) || path.length >= STEPS_MAX) return value
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const at = [...path, key]
    return isPlannedKey(at) && isIdle(inner) ? [] : [[key, withoutIdleKeys(inner, at)]]
  })
  return Object.fromEntries(kept)
}

function isIdle(value: unknown): boolean {
  const parts = isSection(value) ? Object.values(value) : [value]
  return parts.every((part) => part === false || (Array.isArray(part) && part.length === 0))
}
