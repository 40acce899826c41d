/** The keys of `workspace` in coppice.yml that only repeat `landing.mode`: true with `pr`, else false. They may not differ from it. */
import { isSection, valueAt } from "../base/text/yaml.ts"

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

/** The same file without keys that agree with the key that they repeat. */
export function withoutRepetitions(file: unknown): unknown {
  const agents = valueAt(file, ["agents"])
  if (!isSection(file) || !isSection(agents)) return file
  const kept = Object.entries(agents).map(([name, agent]) => [name, withoutRepetition(agent)])
  return { ...file, agents: Object.fromEntries(kept) }
}

function withoutRepetition(agent: unknown): unknown {
  const workspace = valueAt(agent, ["workspace"])
  if (!isSection(agent) || !isSection(workspace)) return agent
  const isPull = valueAt(agent, ["landing", "mode"]) === "pr"
  const kept = Object.entries(workspace).filter(
    ([key, value]) => !(key in REPEATING && value === isPull),
  )
  return { ...agent, workspace: Object.fromEntries(kept) }
}
