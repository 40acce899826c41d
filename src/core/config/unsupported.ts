/** What the design of coppice.yml holds and this version does not do yet. `*` stands for a name. */

const KEYS = new Set([
  "repos.*.push_target",
  "agents.*.mcp_servers",
  "agents.*.container",
  "agents.*.hooks",
  "agents.*.schedules",
  "agents.*.workspace.push_on_success",
  "agents.*.workspace.on_push_failure",
  "agents.*.workspace.create_pr",
])

const VALUES: Readonly<Record<string, readonly string[]>> = {
  "agents.*.runtime": ["claude-cli", "codex", "acp"],
  "agents.*.landing.mode": ["pr"],
}

/** Whether a key at this path is one that a later version is to have. */
export function isPlannedKey(path: readonly string[]): boolean {
  return KEYS.has(pattern(path))
}

/** Whether `value` at this path is one that a later version is to have. */
export function isPlannedValue(path: readonly string[], value: unknown): boolean {
  return (VALUES[pattern(path)] as readonly unknown[] | undefined)?.includes(value) ?? false
}

/** The second step of a path below `repos` and `agents` is a name. */
function pattern(path: readonly string[]): string {
  const named = path[0] === "repos" || path[0] === "agents"
  return path.map((step, at) => (named && at === 1 ? "*" : step)).join(".")
}
