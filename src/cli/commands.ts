/** Every command by name. Only the file of the one that runs is loaded. */
import type { Command } from "./command.ts"

export type Listed = {
  readonly name: string
  /** Imperative mood, no full stop. */
  readonly summary: string
  load(): Promise<{ readonly command: Command }>
}

// biome-ignore format: a table reads best as one
export const COMMANDS: readonly Listed[] = [
  { name: "run",     summary: "Give an agent a task and watch it",      load: () => import("./commands/run.ts") },
  { name: "ls",      summary: "List the tasks",                         load: () => import("./commands/ls.ts") },
  { name: "show",    summary: "Show one task",                          load: () => import("./commands/show.ts") },
  { name: "logs",    summary: "Print what a task's agent did",          load: () => import("./commands/logs.ts") },
  { name: "events",  summary: "Print what happened",                    load: () => import("./commands/events.ts") },
  { name: "diff",    summary: "Show what a task's work changes",        load: () => import("./commands/diff.ts") },
  { name: "why",     summary: "Say what a task waits for",              load: () => import("./commands/why.ts") },
  { name: "queue",   summary: "List what is to land, in its order",     load: () => import("./commands/queue.ts") },
  { name: "approve", summary: "Land what is in review",                 load: () => import("./commands/approve.ts") },
  { name: "reject",  summary: "Give an agent its work back, with words", load: () => import("./commands/reject.ts") },
  { name: "answer",  summary: "Answer what an agent asks",              load: () => import("./commands/answer.ts") },
  { name: "land",    summary: "Land a task, or a branch of your own",    load: () => import("./commands/land.ts") },
  { name: "restart", summary: "Start a stopped task again",             load: () => import("./commands/restart.ts") },
  { name: "cancel",  summary: "Give a task up",                         load: () => import("./commands/cancel.ts") },
  { name: "undo",    summary: "Take a landing back",                    load: () => import("./commands/undo.ts") },
  { name: "recover", summary: "List what was rescued, or restore it",   load: () => import("./commands/recover.ts") },
  { name: "gc",      summary: "Clean up what provably holds nothing",   load: () => import("./commands/gc.ts") },
  { name: "init",    summary: "Write a first coppice.yml",              load: () => import("./commands/init.ts") },
  { name: "up",      summary: "Start the daemon",                       load: () => import("./commands/up.ts") },
  { name: "down",    summary: "End the daemon and its agents",          load: () => import("./commands/down.ts") },
  { name: "status",  summary: "Say whether the daemon runs",            load: () => import("./commands/status.ts") },
  { name: "torture", summary: "Try Coppice on a clone of a repository", load: () => import("./commands/torture.ts") },
  { name: "doctor",  summary: "Check what Coppice needs here",          load: () => import("./commands/doctor.ts") },
  { name: "agent brief", summary: "For agents: say what the task is",   load: () => import("./commands/agent-brief.ts") },
  { name: "agent progress", summary: "For agents: say what you do now", load: () => import("./commands/agent-progress.ts") },
  { name: "agent ask", summary: "For agents: ask a person",             load: () => import("./commands/agent-ask.ts") },
  { name: "agent check", summary: "For agents: run what must pass before the work lands", load: () => import("./commands/agent-check.ts") },
  { name: "agent done", summary: "For agents: say that the work is done", load: () => import("./commands/agent-done.ts") },
  { name: "agent stuck", summary: "For agents: say that you cannot go on", load: () => import("./commands/agent-stuck.ts") },
  { name: "agent peers", summary: "For agents: say who else changes these paths", load: () => import("./commands/agent-peers.ts") },
  { name: "agent propose_task", summary: "For agents: propose another task", load: () => import("./commands/agent-propose-task.ts") },
  { name: "agent rebase_to_main", summary: "For agents: put the target under your work", load: () => import("./commands/agent-rebase-to-main.ts") },
  { name: "config check", summary: "Check coppice.yml",                 load: () => import("./commands/config-check.ts") },
]
