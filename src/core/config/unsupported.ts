/**
 * Keys of coppice.yml that are designed but not built yet, and keys that only repeat another one. `*`
 * stands for a name.
 */
import { keyPattern } from "./names.ts"

const KEYS = new Set(["agents.*.mcp_servers", "agents.*.schedules.*.work_source"])

/** Keys of `workspace` that only repeat `landing.mode`: true with `pr`, else false. */
const REPEATING: Readonly<Record<string, string>> = {
  push_on_success:
    "repeats `landing.mode`, and differs from it: `landing: { mode: pr }` pushes the branch and opens a pull request, and `push_target: true` of a repository pushes its target",
  create_pr:
    "repeats `landing.mode`, and differs from it: `landing: { mode: pr }` opens a pull request, and no other mode does",
}

/** The words about a key that repeats another one, and differs from it. */
export function insteadOf(path: readonly string[]): string | undefined {
  const [section, , part, key, ...rest] = path
  const isRepeating = section === "agents" && part === "workspace" && rest.length === 0
  return isRepeating && key !== undefined ? REPEATING[key] : undefined
}

/** Whether a later version will have a key at this path. */
export function isPlannedKey(path: readonly string[]): boolean {
  return KEYS.has(keyPattern(path))
}

/** How deep a planned key stands, with the file's own level. */
const STEPS_MAX = 5

/** The same file without planned keys that ask for nothing beyond the default, and without repetitions. */
export function withoutIdleKeys(value: unknown, path: readonly string[] = []): unknown {
  if (!isSection(value) || path.length >= STEPS_MAX) return value
  const isAgent = path.length === 2 && path[0] === "agents"
  const kept = Object.entries(isAgent ? withoutRepetition(value) : value).flatMap(
    ([key, inner]): [string, unknown][] => {
      const at = [...path, key]
      return isPlannedKey(at) && isIdle(inner) ? [] : [[key, withoutIdleKeys(inner, at)]]
    },
  )
  return Object.fromEntries(kept)
}

/** The same agent without keys that agree with its `landing.mode`. */
function withoutRepetition(agent: object): object {
  const { landing, workspace } = agent as {
    readonly landing?: unknown
    readonly workspace?: unknown
  }
  if (!isSection(workspace)) return agent
  const isPull = isSection(landing) && "mode" in landing && landing.mode === "pr"
  const kept = Object.entries(workspace).filter(
    ([key, value]) => !(key in REPEATING && value === isPull),
  )
  return { ...agent, workspace: Object.fromEntries(kept) }
}

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function isIdle(value: unknown): boolean {
  const parts = isSection(value) ? Object.values(value) : [value]
  return parts.every((part) => part === false || (Array.isArray(part) && part.length === 0))
}
