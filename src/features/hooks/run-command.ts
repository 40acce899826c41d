/** Runs the command of a hook in the home, with the facts on its standard input. */

import type { TaskId } from "../../base/ids.ts"
import { commandEnvironment } from "../../kernel/process/environment.ts"
import type { ProcessOwner } from "../../kernel/process/owner.ts"
import { type Command, runBounded } from "../../kernel/process/run.ts"
import { findHomeRow } from "../../kernel/store/home.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { workspaceVariables } from "../../kernel/tasks/task-environment.ts"
import { folderOf } from "../../kernel/workspaces/workspace-facts.ts"
import type { HookConfig } from "./rules.ts"

/** The end of what a command prints, kept with its event. */
const OUTPUT_BYTES_MAX = 4_000
/** The variables by which a program finds the person's desktop. */
const DESKTOP = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]

type ToRun = {
  readonly command: Command
  readonly body: string
  /** The type of the event. */
  readonly event: string
  readonly task: TaskId | null
  readonly signal: AbortSignal
}

type Ran = {
  readonly kind: "exited" | "timed_out" | "aborted" | "unstartable"
  /** Null unless it exited. */
  readonly code: number | null
  readonly output: string
}

export async function runHookCommand(
  { db, home, owner }: { readonly db: Db; readonly home: string; readonly owner: ProcessOwner },
  { timeoutMs }: Pick<HookConfig, "timeoutMs">,
  { command, body, event, task, signal }: ToRun,
): Promise<Ran> {
  const facts = {
    COPPICE_EVENT: event,
    COPPICE_TASK: String(task),
    ...(task !== null && variablesOf(db, task)),
  }
  const desktop = DESKTOP.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  const env = commandEnvironment(process.env, { ...facts, ...Object.fromEntries(desktop) })
  const limits = { timeoutMs, outputBytesMax: OUTPUT_BYTES_MAX, signal }
  const run = { command, cwd: home, env, purpose: "hook", task: null, stdin: body } as const
  const ran = await runBounded(owner, { ...run, ...limits })
  return {
    kind: ran.kind,
    code: ran.kind === "exited" ? ran.code : null,
    output: ran.kind === "unstartable" ? ran.message : ran.output,
  }
}

/** Nothing before the worktree is made, and after it has gone. */
function variablesOf(db: Db, id: TaskId): Readonly<Record<string, string>> {
  const task = findTask(db, id)
  const repo = task?.repos.find((one) => folderOf(task, one) !== null && one.base !== null)
  if (!task || !repo) return {}
  return workspaceVariables(db, { task, repo, home: findHomeRow(db)?.name ?? "" })
}
