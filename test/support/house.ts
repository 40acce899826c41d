/**
 * The rooms of the house, and what each may import. These tables are the architecture; test/rooms.test.ts
 * checks them.
 */

/**
 * From the ground up. A path belongs to the longest name that fits; `rules` also stands for a file `rules.ts`
 * below its room, and no room imports one that stands later, except the types of `config` and `api/wire`.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  "kernel/process": ["base"],
  "kernel/git": ["base", "kernel/process"],
  "kernel/store": ["base", "kernel/process"],
  "kernel/landing/rules": ["base"],
  "kernel/tasks/rules": ["base", "kernel/landing/rules"],
  "kernel/workspaces/rules": ["base"],
  "kernel/landing/prompts": ["base", "kernel/landing/rules"],
  "kernel/tasks/prompts": ["base", "kernel/tasks/rules"],
  "kernel/workspaces/rows": ["base", "kernel/store", "kernel/workspaces/rules"],
  "kernel/landing/rows": [
    ...["base", "kernel/store", "kernel/landing/rules", "kernel/landing/prompts"],
    "kernel/workspaces/rows",
  ],
  "kernel/tasks/rows": [
    ...["base", "kernel/store", "kernel/tasks/rules", "kernel/tasks/prompts"],
    ...["kernel/landing/rules", "kernel/landing/rows", "kernel/workspaces/rows"],
  ],
  "kernel/waits/rules": [
    ...["base", "kernel/process", "kernel/tasks/rules"],
    ...["kernel/landing/rules", "kernel/landing/prompts"],
  ],
  "kernel/waits": [
    "kernel/waits/rules",
    ...["base", "kernel/process", "kernel/store", "kernel/tasks/rules", "kernel/tasks/rows"],
    ...["kernel/landing/rules", "kernel/landing/prompts", "kernel/workspaces/rows"],
  ],
  "kernel/runtime": ["base", "kernel/process", "kernel/tasks/rules"],
  "kernel/workspaces": [
    ...[
      "base",
      "kernel/process",
      "kernel/git",
      "kernel/store",
      "kernel/waits",
      "kernel/waits/rules",
    ],
    ...["kernel/workspaces/rules", "kernel/workspaces/rows"],
    ...["kernel/tasks/rules", "kernel/tasks/rows", "kernel/landing/rules", "kernel/landing/rows"],
  ],
  // The loop of turns and that of landings meet in the store: neither imports the other.
  "kernel/landing": [
    ...[
      "base",
      "kernel/process",
      "kernel/git",
      "kernel/store",
      "kernel/waits",
      "kernel/waits/rules",
    ],
    ...["kernel/landing/rules", "kernel/landing/prompts", "kernel/landing/rows"],
    ...["kernel/tasks/rules", "kernel/tasks/rows"],
    ...["kernel/workspaces", "kernel/workspaces/rules", "kernel/workspaces/rows"],
  ],
  "kernel/tasks": [
    ...[
      "base",
      "kernel/process",
      "kernel/git",
      "kernel/store",
      "kernel/waits",
      "kernel/waits/rules",
      "kernel/runtime",
    ],
    ...["kernel/tasks/rules", "kernel/tasks/prompts", "kernel/tasks/rows"],
    ...["kernel/landing/rules", "kernel/landing/prompts", "kernel/landing/rows"],
    ...["kernel/workspaces", "kernel/workspaces/rules", "kernel/workspaces/rows"],
  ],
  // The kernel's home and its errors.
  kernel: ["base", "kernel/store", "kernel/waits", "kernel/waits/rules"],
  // The acts of a person: the one room that uses both loops.
  "kernel/tasks/actions": [
    ...[
      "base",
      "kernel",
      "kernel/process",
      "kernel/git",
      "kernel/store",
      "kernel/waits",
      "kernel/waits/rules",
    ],
    ...["kernel/tasks", "kernel/tasks/rules", "kernel/tasks/prompts", "kernel/tasks/rows"],
    ...["kernel/landing", "kernel/landing/rules", "kernel/landing/prompts", "kernel/landing/rows"],
    ...["kernel/workspaces", "kernel/workspaces/rules", "kernel/workspaces/rows", "kernel/runtime"],
  ],
  // Plain tables of what features declare. Also commands and routes: see TABLES_OF_FEATURES.
  declared: ["features/*/config", "features/*/wire"],
  // Of features: how each writes its part of coppice.yml, and its rules.
  config: [
    ...["base", "kernel/landing/rules", "kernel/tasks/rules", "kernel/workspaces/rules"],
    ...["declared", "features/*/config"],
  ],
  "api/wire": ["base", "declared", "kernel/landing/rules", "kernel/tasks/rules", "features/*/wire"],
  "api/client": ["base", "config", "api/wire", "kernel/tasks/rules"],
  "config/live": ["base", "config", "api/client"],
  "api/documents": ["base", "declared", "api/wire", "config", "kernel/*"],
  "api/server": ["base", "api", "api/wire", "api/client", "api/documents", "config", "kernel/*"],
  api: ["base", "api/wire", "api/documents", "config", "config/live", "kernel/*"],
  features: [
    ...["base", "kernel/*", "config", "config/live"],
    ...["api", "api/wire", "api/client", "api/documents", "api/server", "surfaces/cli"],
  ],
  "surfaces/cli": [
    ...[
      "base",
      "declared",
      "config",
      "api/wire",
      "api/client",
      "features/*/wire",
      "features/*/config",
    ],
    ...["kernel/tasks/rules", "kernel/workspaces/rules"],
    ...["kernel/landing/rules", "kernel/landing/prompts"],
  ],
  "surfaces/mcp": ["base", "api/wire", "api/client", "kernel/tasks/rules"],
  daemon: [
    ...["base", "kernel/*", "config", "config/live"],
    ...["api", "api/wire", "api/client", "api/documents", "api/server"],
  ],
  torture: ["base", "api/wire", "api/client", "kernel/process", "features/*"],
  dashboard: [
    ...["base", "api/wire", "api/client", "kernel/tasks/rules", "kernel/landing/rules"],
    "features/*/wire",
  ],
  // src/index.ts, the library, and src/launch.ts, which puts the program together.
  ".": [
    ...[
      "base",
      "declared",
      "api/wire",
      "api/client",
      "surfaces/cli",
      "surfaces/mcp",
      "daemon",
      "torture",
    ],
    "features/*",
  ],
}

/**
 * Where a room outside of the features still names one: its seam is missing. The lists only shrink. Those of the
 * kernel wait for the five hard seams (who approves, which way work lands, what checks it, sub-tasks, alternatives of a task).
 */
export const NAMES_FEATURES: Readonly<Record<string, readonly string[]>> = {
  "src/api/client/config/change-config.ts": ["foreign-setup", "trust"],
  "src/api/client/config/config-layers.ts": ["sources"],
  "src/api/client/config/config-origins.ts": ["sources"],
  "src/api/client/home.ts": ["trust"],
  "src/api/server/handlers.ts": ["files"],
  "src/config/live/live-config.ts": ["foreign-setup", "git-hooks", "trust"],
  "src/daemon/agents/agent-connections.ts": ["session-file", "verbs"],
  "src/daemon/agents/settings.ts": ["attach"],
  "src/daemon/compose.ts": [
    "containment",
    "fallbacks",
    "files",
    "forks",
    "permissions",
    "pool",
    "pull-requests",
    "static",
    "trust",
  ],
  "src/daemon/feature-intake.ts": ["clone", "files", "trust"],
  "src/daemon/main.ts": ["trust"],
  "src/daemon/read-ended.ts": ["trust"],
  "src/daemon/uninstall.ts": ["containment", "trust", "uninstall"],
  "src/kernel/landing/action.ts": ["pull-requests"],
  "src/kernel/landing/gate/gate-fresh.ts": ["git-hooks"],
  "src/kernel/landing/gate/choose-gate.ts": ["git-hooks"],
  "src/kernel/landing/gate/run-gate.ts": ["git-hooks"],
  "src/kernel/landing/prompts/hand-back.ts": ["pull-requests", "reviews"],
  "src/kernel/landing/recheck-wait.ts": ["pull-requests", "stacks"],
  "src/kernel/landing/steps/cleaning.ts": ["pull-requests", "stacks"],
  "src/kernel/landing/steps/gating.ts": ["alternatives"],
  "src/kernel/landing/steps/preparing.ts": ["alternatives", "push-target", "signing"],
  "src/kernel/landing/steps/publishing.ts": ["alternatives", "push-target"],
  "src/kernel/landing/steps/snapshotting.ts": ["alternatives", "reviews"],
  "src/kernel/landing/steps/syncing.ts": ["alternatives"],
  "src/kernel/landing/tick.ts": ["pull-requests", "stacks"],
  "src/kernel/landing/verdict.ts": ["pull-requests", "reviews"],
  "src/kernel/tasks/actions/answer.ts": ["sub-tasks"],
  "src/kernel/tasks/actions/approve.ts": ["alternatives"],
  "src/kernel/tasks/actions/cancel.ts": ["sub-tasks"],
  "src/kernel/tasks/actions/create-task.ts": ["pull-requests", "stacks"],
  "src/kernel/tasks/actions/find-start.ts": ["pull-requests"],
  "src/kernel/tasks/actions/halt-landing.ts": ["stacks", "sub-tasks"],
  "src/kernel/tasks/actions/land.ts": ["stacks"],
  "src/kernel/tasks/actions/task-defaults.ts": ["git-hooks"],
  "src/kernel/tasks/delete-task.ts": ["sub-tasks"],
  "src/kernel/tasks/end-turn.ts": ["sub-tasks"],
  "src/kernel/tasks/prepare-workspace.ts": ["reviews", "stacks"],
  "src/kernel/tasks/prompts/fresh-conversation.ts": ["sub-tasks"],
  "src/kernel/tasks/prompts/messages.ts": ["sub-tasks"],
  "src/kernel/tasks/rows/list-due.ts": ["stacks"],
  "src/kernel/tasks/rows/questions/ask.ts": ["sub-tasks"],
  "src/kernel/tasks/rows/questions/list-below.ts": ["sub-tasks"],
  "src/surfaces/cli/command-line.ts": ["trust"],
  "src/surfaces/cli/command.ts": ["torture"],
  "src/surfaces/cli/commands/run.ts": ["alternatives", "plan-files"],
  "src/surfaces/cli/commands/up.ts": ["trust"],
}

/** Where the kernel uses more than types of the configuration and of documents. The list only shrinks. */
export const USES_OTHERS: Readonly<Record<string, readonly string[]>> = {
  "src/kernel/tasks/begin-task.ts": ["src/config/runtimes.ts"],
  "src/kernel/tasks/run-turns.ts": ["src/config/agent-of-task.ts"],
  "src/kernel/tasks/actions/create-task.ts": [
    ...["src/config/known-agents.ts", "src/config/working-directories.ts"],
  ],
  "src/kernel/tasks/actions/find-agent.ts": [
    ...["src/config/agent-of-task.ts", "src/config/agent-words.ts"],
    ...["src/config/known-agents.ts", "src/config/runtimes.ts"],
  ],
  "src/kernel/tasks/actions/say.ts": ["src/config/runtimes.ts"],
  "src/kernel/tasks/actions/task-defaults.ts": ["src/api/client/home.ts"],
  "src/kernel/tasks/rows/turns/find.ts": ["src/api/wire/tasks.ts"],
  "src/kernel/tasks/rows/turns/usage.ts": ["src/api/wire/tasks.ts"],
}

/** Tables of plain data may name features, but only these files of theirs. */
export const TABLES_OF_FEATURES: Readonly<Record<string, RegExp>> = {
  "src/surfaces/cli/commands.ts": /\/commands?(\/|\.ts$)/,
  "src/daemon/features.ts": /\/index\.ts$/,
  "src/declared/light.ts": /\/(declared|index)\.ts$/,
}

/** From these files a table gets rows whose code is loaded when it is used: a list, which computes nothing. */
export const ROWS_OF_FEATURES = /^src\/declared\/light\.ts$|\/declared\.ts$/
/** The code of such a row. */
export const LOADED_LATER = /\/(index|commands?)(\.ts$|\/)/

/** The features that a feature uses. One that no other uses can be deleted with its folder. */
export const USES: Readonly<Record<string, readonly string[]>> = {
  acp: ["runtimes"],
  alternatives: ["files"],
  claude: ["runtimes"],
  "clean-up": ["pool", "uninstall"],
  codex: ["runtimes"],
  containment: ["reviews"],
  demo: ["homes", "trust"],
  doctor: ["claude", "containment", "init", "trust"],
  homes: ["trust"],
  hooks: ["containment", "links"],
  init: ["foreign-setup", "sources", "trust"],
  links: ["hooks"],
  "own-work": ["preview", "trust"],
  "plan-files": ["alternatives", "stacks"],
  preview: ["own-work"],
  "pull-requests": ["rest", "stacks"],
  "push-target": ["pull-requests"],
  recover: ["clean-up"],
  reviews: ["containment"],
  schedules: ["sources"],
  "session-file": ["verbs"],
  sources: ["hooks", "rest"],
  stacks: ["pull-requests"],
  "sub-tasks": ["pull-requests", "stacks"],
  traces: ["hooks"],
  trust: ["foreign-setup", "git-hooks"],
  undo: ["pull-requests"],
  uninstall: ["clean-up"],
  verbs: ["files"],
}

/** Files that compute: time, dice and ids come in as arguments. */
export const PURE =
  /^src\/base\/|^src\/config\/(?!live)|^src\/api\/wire\/|^src\/features\/[\w-]+\/config\.ts$|\/(rules|prompts|wire)(\.ts$|\/)/

/** The room of a file: the longest name that fits; undefined outside of the house. */
export function roomOf(path: string): string | undefined {
  const [outside] = /^(torture|dashboard)(?=\/)/.exec(path) ?? []
  if (outside) return outside
  if (!path.startsWith("src/")) return undefined
  const parts = path.replace(/^src\//, "").split("/")
  const isRules = parts[0] === "kernel" && parts.some((part) => /^rules(\.ts)?$/.test(part))
  if (isRules) return `kernel/${parts[1]}/rules`
  const folders = parts.slice(0, -1)
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const name = folders.slice(0, depth).join("/")
    if (name in MAY_IMPORT) return name
  }
  return "."
}
