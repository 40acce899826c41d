/** Every command by name. Only the file of the command that runs is loaded. */
import { COMMANDS_OF_FEATURES } from "../../declared/light.ts"
import type { AGENT_COMMANDS } from "../../features/verbs/commands.ts"
import type { Command } from "./command.ts"

export type Listed = {
  readonly name: string
  /** The command's heading in `help --all`; `--help` lists only the everyday ones. */
  readonly group: Group
  /** Imperative mood, no full stop. */
  readonly summary: string
  load(): Promise<{ readonly command: Command }>
}

export const GROUPS = ["every day", "tasks", "landing", "worktrees", "fleet", "for agents"] as const
export type Group = (typeof GROUPS)[number]

const ofAgent = async (verb: keyof typeof AGENT_COMMANDS) => ({
  command: (await import("../../features/verbs/commands.ts")).AGENT_COMMANDS[verb],
})

// biome-ignore format: a table reads best as one
export const COMMANDS: readonly Listed[] = [
  { group: "every day", name: "run",     summary: "Give an agent a task and watch it",      load: () => import("./commands/run.ts") },
  { group: "every day", name: "ls",      summary: "List the tasks",                         load: () => import("./commands/ls.ts") },
  { group: "every day", name: "ui",      summary: "Open the dashboard in a browser",        load: () => import("./commands/ui.ts") },
  { group: "every day", name: "demo",    summary: "Watch a fleet at work, without an account", load: () => import("../../features/demo/command.ts") },
  { group: "every day", name: "watch",   summary: "Watch a task until it needs you or is done", load: () => import("./commands/watch.ts") },
  { group: "every day", name: "show",    summary: "Show one task",                          load: () => import("./commands/show.ts") },
  { group: "every day", name: "logs",    summary: "Print what a task's agent did",          load: () => import("./commands/logs.ts") },
  { group: "every day", name: "diff",    summary: "Show what a task's work changes",        load: () => import("./commands/diff.ts") },
  { group: "every day", name: "why",     summary: "Explain what a task waits for",          load: () => import("./commands/why.ts") },
  { group: "every day", name: "approve", summary: "Approve a plan, or work in review", load: () => import("./commands/approve.ts") },
  { group: "every day", name: "reject",  summary: "Send work back to its agent, with feedback", load: () => import("./commands/reject.ts") },
  { group: "every day", name: "land",    summary: "Land a task, or a branch of your own",   load: () => import("../../features/own-work/commands/land.ts") },
  { group: "every day", name: "restart", summary: "Start a stopped task again",             load: () => import("./commands/restart.ts") },
  { group: "every day", name: "say",     summary: "Send a message to a task's agent",      load: () => import("./commands/say.ts") },
  { group: "every day", name: "answer",  summary: "Answer an agent's question",            load: () => import("./commands/answer.ts") },
  { group: "tasks",   name: "pause",   summary: "Pause a task",                             load: () => import("./commands/pause.ts") },
  { group: "tasks",   name: "resume",  summary: "Continue a paused or complete task",       load: () => import("./commands/resume.ts") },
  { group: "tasks",   name: "cancel",  summary: "Give up a task; its work is saved first",  load: () => import("./commands/cancel.ts") },
  { group: "tasks",   name: "delete",  summary: "Delete a task, its worktree and branch",   load: () => import("./commands/delete.ts") },
  { group: "tasks",   name: "open",    summary: "Print the path of a task's worktree",      load: () => import("./commands/open.ts") },
  { group: "tasks",   name: "attach",  summary: "Talk to a task's agent in its own program", load: () => import("../../features/attach/command.ts") },
  { group: "tasks",   name: "events",  summary: "Print the events of a task, or of all",    load: () => import("./commands/events.ts") },
  { group: "landing", name: "queue",   summary: "List the landings in queue order",         load: () => import("./commands/queue.ts") },
  { group: "landing", name: "queue move", summary: "Move a landing to another place in its queue", load: () => import("./commands/queue-move.ts") },
  { group: "landing", name: "import",  summary: "List work of other tools, and land it",   load: () => import("../../features/own-work/commands/import.ts") },
  { group: "landing", name: "undo",    summary: "Revert a landing",                         load: () => import("../../features/undo/command.ts") },
  { group: "landing", name: "recover", summary: "List rescued work, or restore it",         load: () => import("../../features/recover/command.ts") },
  { group: "landing", name: "gc",      summary: "Remove what is safely stored elsewhere",  load: () => import("../../features/clean-up/commands/gc.ts") },
  { group: "worktrees", name: "worktree add",    summary: "Set up a worktree for yourself, without an agent", load: () => import("../../features/clean-up/commands/worktree-add.ts") },
  { group: "worktrees", name: "worktree list",   summary: "List the worktrees of this home", load: () => import("../../features/clean-up/commands/worktree-list.ts") },
  { group: "worktrees", name: "worktree land",   summary: "Land the work in a task's worktree", load: () => import("./commands/worktree-land.ts") },
  { group: "worktrees", name: "worktree remove", summary: "Remove a task's worktree", load: () => import("../../features/clean-up/commands/worktree-remove.ts") },
  { group: "worktrees", name: "worktree prune",  summary: "Remove all worktrees whose work is safe", load: () => import("../../features/clean-up/commands/worktree-prune.ts") },
  { group: "fleet",   name: "init",    summary: "Write a first coppice.yml",                load: () => import("../../features/init/command.ts") },
  { group: "fleet",   name: "up",      summary: "Start the daemon",                         load: () => import("./commands/up.ts") },
  { group: "fleet",   name: "down",    summary: "End the daemon and its agents",            load: () => import("./commands/down.ts") },
  { group: "fleet",   name: "status",  summary: "Show whether the daemon runs",             load: () => import("./commands/status.ts") },
  { group: "fleet",   name: "stats",   summary: "Count what landed, waited and cost",    load: () => import("../../features/stats/command.ts") },
  { group: "fleet",   name: "trigger", summary: "Create a schedule's task now", load: () => import("../../features/schedules/commands/trigger.ts") },
  { group: "fleet",   name: "schedule", summary: "Switch a schedule on or off", load: () => import("../../features/schedules/commands/schedule.ts") },
  { group: "fleet",   name: "sources", summary: "List the work sources and their items",   load: () => import("../../features/sources/command.ts") },
  { group: "fleet",   name: "trust",   summary: "Show and approve the programs a home runs", load: () => import("../../features/trust/command.ts") },
  { group: "fleet",   name: "config set", summary: "Change a key of coppice.yml",            load: () => import("./commands/config-set.ts") },
  { group: "fleet",   name: "config explain", summary: "Explain a key of coppice.yml",       load: () => import("./commands/config-explain.ts") },
  { group: "fleet",   name: "config check", summary: "Check coppice.yml",                   load: () => import("./commands/config-check.ts") },
  { group: "fleet",   name: "config schema", summary: "Print the JSON Schema of coppice.yml", load: () => import("./commands/config-schema.ts") },
  { group: "fleet",   name: "mcp",     summary: "Serve your own agents and editors over MCP", load: () => import("./commands/mcp.ts") },
  { group: "fleet",   name: "doctor",  summary: "Check that Coppice can run here",          load: () => import("../../features/doctor/command.ts") },
  { group: "fleet",   name: "torture", summary: "Try to break Coppice on a clone of a repository", load: () => import("../../features/torture/command.ts") },
  { group: "fleet",   name: "uninstall", summary: "Remove all that Coppice made, and keep work", load: () => import("../../features/uninstall/command.ts") },
  { group: "fleet",   name: "completion", summary: "Print the script that completes commands in a shell", load: () => import("./commands/completion.ts") },
  { group: "for agents", name: "agent brief", summary: "Print the task", load: () => ofAgent("brief") },
  { group: "for agents", name: "agent progress", summary: "Report progress", load: () => ofAgent("progress") },
  { group: "for agents", name: "agent ask", summary: "Ask a person a question", load: () => ofAgent("ask") },
  { group: "for agents", name: "agent check", summary: "Run the checks that must pass before landing", load: () => ofAgent("check") },
  { group: "for agents", name: "agent done", summary: "Declare the work done", load: () => ofAgent("done") },
  { group: "for agents", name: "agent stuck", summary: "Give up, and let a person decide", load: () => ofAgent("stuck") },
  { group: "for agents", name: "agent peers", summary: "List other tasks that change these paths", load: () => ofAgent("peers") },
  { group: "for agents", name: "agent propose_task", summary: "Propose another task", load: () => import("../../features/sub-tasks/command.ts") },
  { group: "for agents", name: "agent rebase_to_main", summary: "Rebase your work onto the target", load: () => ofAgent("rebase_to_main") },
  { group: "for agents", name: "agent review", summary: "Give your verdict on the work that you review", load: () => import("../../features/reviews/command.ts") },
  ...COMMANDS_OF_FEATURES,
]
