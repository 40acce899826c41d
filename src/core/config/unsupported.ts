/** Parts of coppice.yml that are designed but not built yet. `*` stands for a name. */
import { keyPattern } from "./names.ts"

const KEYS = new Set([
  "agents.*.mcp_servers",
  "agents.*.container",
  "agents.*.schedules.*.work_source",
  "agents.*.workspace.push_on_success",
  "agents.*.workspace.create_pr",
])

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
    return isPlannedKey(at) && isIdle(at, inner) ? [] : [[key, withoutIdleKeys(inner, at)]]
  })
  return Object.fromEntries(kept)
}

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function isIdle(path: readonly string[], value: unknown): boolean {
  const key = keyPattern(path)
  if (key === "agents.*.container") return false // an empty one is a container too
  const parts = isSection(value) ? Object.values(value) : [value]
  return parts.every((part) => part === false || (Array.isArray(part) && part.length === 0))
}
