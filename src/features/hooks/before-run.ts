/**
 * Runs the `before_run` hooks of an agent, one after another, before the first turn of a job.
 *
 * The first one that fails keeps the agent from starting, unless its `continue_on_error` says otherwise.
 * A job whose daemon died before its first turn began has them again.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { eventDocument } from "../../api/documents/row-documents.ts"
import { taskDocument } from "../../api/documents/task-document.ts"
import type { AgentRun } from "../../api/feature-host.ts"
import type { EventType } from "../../api/wire/event-types.ts"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import type { AgentConfig } from "../../config/config.ts"
import { appendEvent, findEventCursor, listEvents } from "../../kernel/store/events.ts"
import { findRunningJob } from "../../kernel/tasks/rows/jobs/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { HooksContext } from "./hooks.ts"
import { type HookConfig, hasFact, nameHooks } from "./rules.ts"
import { runHookCommand } from "./run-command.ts"
import { sendEvent } from "./send-request.ts"

/** An agent waits for the server, so it is not tried for long. */
const RETRIES: RetryPolicy = { attemptsMax: 3, delayMsMin: 1_000, delayMsMax: 5_000 }

type Context = Omit<HooksContext, "live" | "address" | "post">
type Result = { readonly isOk: boolean; readonly data: Readonly<Record<string, unknown>> }

/** @returns why the agent must not start. */
export async function beforeRun(context: Context, running: AgentRun): Promise<string | undefined> {
  const { db, world } = context
  const { task, agent, signal } = running
  const hooks = agent.hooks.filter(({ kind }) => kind === "before_run")
  const names = nameHooks(agent.name, hooks)
  for (const [at, hook] of hooks.entries()) {
    const facts = factsOf(context, task)
    const record = (type: EventType, data: Result["data"]) =>
      appendEvent(db, { type, task: task.id, data: { hook: names[at], ...data } }, world.nowMs())
    if (!hasFact(facts, hook.when)) {
      record("hook.skipped", { when: hook.when })
      continue
    }
    const id = `${task.id}-${findRunningJob(db, task.id)?.id ?? 0}-${names[at]}`
    const { isOk, data } = await run(context, { hook, id, facts, task, signal })
    signal.throwIfAborted()
    record(isOk ? "hook.ran" : "hook.failed", data)
    if (!isOk && !hook.continuesOnError) return refusal(agent, at, data)
  }
  return undefined
}

function factsOf({ db, home, rows }: Context, task: Task) {
  const after = findEventCursor(db, task.id, 1)
  const [latest] = listEvents(db, { after, task: task.id, limit: 1 })
  return { event: latest && eventDocument(latest), task: taskDocument(rows, task), home }
}

type ToRun = {
  readonly hook: HookConfig
  /** Each repetition of the request has the same one. */
  readonly id: string
  readonly facts: object
  readonly task: Task
  readonly signal: AbortSignal
}

async function run(context: Context, { hook, id, facts, task, signal }: ToRun): Promise<Result> {
  const { world } = context
  const body = JSON.stringify(facts)
  const { command } = hook
  if (command !== undefined) {
    const toRun = { command, body, event: "before_run", task: task.id, signal }
    const data = await runHookCommand(context, hook, toRun)
    return { isOk: data.code === 0, data }
  }
  for (let tries = 1; ; tries += 1) {
    const delivery = { id, type: "before_run", body, signal }
    const sent = await sendEvent(hook, { ...delivery, nowMs: world.nowMs() })
    if (sent.kind === "ok") return { isOk: true, data: { status: sent.status } }
    const delayMs = sent.kind === "failed" ? retryDelayMs(RETRIES, tries, 1) : undefined
    if (delayMs === undefined) return { isOk: false, data: { text: sent.text } }
    await sleep(delayMs, undefined, { signal })
  }
}

/** Neither an address nor a command is part of it: they may hold secrets. */
function refusal(
  { name }: AgentConfig,
  at: number,
  { code, text, output }: Result["data"],
): string {
  const how = text ?? (code === null ? "it did not end by itself" : `it exited with ${code}`)
  const said = String(output ?? "").trim()
  const failure = `the hook agents.${name}.hooks.before_run.${at} failed: ${how}`
  return said === "" ? failure : `${failure}\n${said}`
}
