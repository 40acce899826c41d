/**
 * Makes spans from the events of one task: the task, its jobs, their sessions and turns, its landings, and each
 * state of a landing. Pure.
 *
 *   task ─┬─ job ── session ── turn
 *         └─ landing ── a state of the landing, waits included
 *
 * The same events always make the same spans with the same keys, so a span that is exported twice is the same one.
 * Attributes are ids, states, codes, names of agents and numbers: never a word of a person, an agent or a repository.
 */

import type { Usage } from "../../api/wire/tasks.ts"
import type { JobId, TaskId } from "../../base/ids.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import { ACTIVE_STATES } from "../../kernel/tasks/rules.ts"

export type TraceSpan = {
  readonly task: TaskId
  /** Names the span within its home. */
  readonly key: string
  /** The key of its parent; null for the first life of a task. */
  readonly parent: string | null
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  /** Why it failed, as a code; null: it did not. */
  readonly error: string | null
  /** Tasks that it belongs to, whose traces are others. */
  readonly links: readonly TaskId[]
}

type Attributes = Readonly<Record<string, string | number>>
type Open = Omit<TraceSpan, "task" | "endMs" | "error" | "links">
type Turn = { readonly n: unknown; readonly session: string; readonly agent: string }
type End = { readonly attributes?: Attributes; readonly error?: string | null }

export type TraceEvent = Omit<StoredEvent, "task">

/** The keys of the spans that a program in an agent's worktree can be a child of. */
export const traceKeys = {
  task: (task: TaskId) => `task ${task}`,
  job: (job: JobId) => `job ${job}`,
  session: (session: string, job: JobId | undefined) => `session ${session} in job ${job}`,
  /** @param seq of the event with which the landing entered the state. */
  landingState: (seq: number) => `landing state ${seq}`,
}

/** The states in which a landing has ended, or rests until it is submitted again. */
const ENDS: readonly string[] = ["landed", "cancelled", "failed", "handed_back", "paused"]
const FAILURES: readonly string[] = ["failed", "handed_back"]
const STOPS: readonly string[] = ["stuck", "merge_failed"]

/** An agent may choose the code of its own failure, and a person any name. */
const CODE = /^[\w.@:-]{1,100}$/
const OTHER = "other"
const codeOf = (value: unknown): string =>
  typeof value === "string" && CODE.test(value) ? value : OTHER

export class TaskTrace {
  readonly #task: TaskId
  #state = "registered"
  /** False if retention has deleted the first events. */
  #isWhole: boolean | undefined
  #agent = ""
  #links: readonly TaskId[] = []
  #life: Open | undefined
  #job: (Open & { readonly id: JobId; readonly agent: string }) | undefined
  #jobs = 0
  #session: Open | undefined
  /** When the last turn of the session ended; undefined while one runs. */
  #restsSinceMs: number | undefined
  /** The turn that has not ended; without a span until its agent has it. */
  #turn: (Turn & { readonly isBegun: boolean }) | undefined
  #turnSpan: Open | undefined
  #landing: Open | undefined
  #landingState: Open | undefined
  #ended: TraceSpan[] = []

  constructor(task: TaskId) {
    this.#task = task
  }

  /** @returns the spans that end with this event, the inner ones first. */
  add(event: TraceEvent): readonly TraceSpan[] {
    this.#ended = []
    const { type } = event
    if (this.#isWhole === undefined) this.#begin(event)
    if (type.startsWith("landing.")) this.#addOfLanding(event)
    else if (type.startsWith("task.")) this.#addOfTask(event)
    else this.#addOfJob(event)
    return this.#ended
  }

  /** A task whose first events are gone lives from here on, unless it had ended: then its span was sent. */
  #begin({ type, data: { from, to }, atMs }: TraceEvent): void {
    this.#isWhole = type === "task.created"
    const isAbout = !type.startsWith("task.") || typeof to === "string"
    if (!this.#isWhole && isAbout && from !== "complete")
      this.#live(traceKeys.task(this.#task), atMs)
  }

  #addOfTask({ type, data, atMs, seq }: TraceEvent): void {
    const { to, reason } = data
    if (type === "task.created") this.#create(data, atMs)
    if (type === "task.deleted") {
      this.#addOfLanding({ type, seq, atMs, data: { to: "cancelled" } })
      this.#end("deleted", null, atMs)
    }
    if (typeof to !== "string") return
    this.#state = to
    const code = (reason as { code?: unknown } | null | undefined)?.code
    if (!(ACTIVE_STATES as readonly string[]).includes(to))
      this.#end(to, code === undefined ? null : codeOf(code), atMs)
    else if (!this.#life) this.#live(`${traceKeys.task(this.#task)} from ${seq}`, atMs)
  }

  #create({ agent, parent, reviewOf }: TraceEvent["data"], atMs: number): void {
    this.#agent = agent === null ? "" : codeOf(agent)
    this.#links = [parent, reviewOf].filter((id) => typeof id === "number") as TaskId[]
    this.#live(traceKeys.task(this.#task), atMs)
  }

  /** A task that is resumed lives again, as a child of its first life. */
  #live(key: string, startMs: number): void {
    const first = traceKeys.task(this.#task)
    const attributes = this.#agent === "" ? {} : { "gen_ai.agent.name": this.#agent }
    const parent = key === first ? null : first
    this.#life = { key, parent, name: "task", startMs, attributes }
  }

  /** A job ends when the task stops; the task itself, when a person is done with it. */
  #end(state: string, code: string | null, atMs: number): void {
    const attributes = { "coppice.task.state": state, ...(code && { "coppice.reason": code }) }
    const error = STOPS.includes(state) ? (code ?? OTHER) : null
    this.#endJob({ attributes, error }, atMs)
    if (!["complete", "cancelled", "deleted"].includes(state)) return
    const jobs = this.#isWhole ? { "coppice.task.jobs": this.#jobs } : {}
    this.#close(this.#life, { attributes: { ...attributes, ...jobs } }, atMs)
    this.#life = undefined
  }

  #addOfJob({ type, data, atMs }: TraceEvent): void {
    if (type === "job.started") this.#startJob(data["job"] as JobId, atMs)
    if (type === "session.renewed") this.#renew(String(data["session"]), atMs)
    if (type === "turn.opened") {
      const { n, session, agent } = data
      this.#turn = { n, session: String(session), agent: codeOf(agent), isBegun: false }
      if (this.#job) this.#job = { ...this.#job, agent: this.#turn.agent }
      this.#startSession(atMs)
    }
    if (type === "turn.began" && this.#turn?.n === data["n"]) this.#beginTurn(atMs)
    if (type === "turn.ended" && this.#turn?.n === data["n"])
      this.#endTurn(data["usage"] as Usage | undefined, atMs)
  }

  #startJob(id: JobId, startMs: number): void {
    this.#endJob({ attributes: { "coppice.task.state": this.#state } }, startMs)
    this.#jobs += 1
    const number = this.#isWhole ? { "coppice.job.number": this.#jobs } : {}
    const attributes = { "coppice.job.id": id, ...number }
    const span = this.#child(this.#lifeKey, traceKeys.job(id), "job", attributes)
    this.#job = { id, agent: this.#turn?.agent ?? this.#agent, ...span, startMs }
    if (!this.#turn) return
    this.#startSession(startMs) // the turn goes on where it was interrupted
    if (this.#turn.isBegun) this.#beginTurn(startMs)
  }

  #renew(session: string, atMs: number): void {
    if (!this.#turn) return
    this.#turn = { ...this.#turn, session, isBegun: false }
    this.#close(this.#turnSpan, { attributes: { "coppice.turn.end": "renewed" } }, atMs)
    this.#turnSpan = undefined
    this.#startSession(atMs)
  }

  /** The session of the open turn, in its job. */
  #startSession(startMs: number): void {
    const id = this.#turn?.session ?? ""
    const key = traceKeys.session(id, this.#job?.id)
    if (this.#session?.key === key) return
    this.#endSession(startMs)
    const attributes = { "gen_ai.conversation.id": codeOf(id) }
    const parent = this.#job?.key ?? this.#lifeKey
    this.#session = { ...this.#child(parent, key, "session", attributes), startMs }
  }

  /** A session ended with its last turn: afterwards its agent waited. */
  #endSession(atMs: number): void {
    this.#close(this.#session, {}, this.#restsSinceMs ?? atMs)
    this.#session = this.#restsSinceMs = undefined
  }

  #beginTurn(startMs: number): void {
    const turn = this.#turn
    if (!turn || this.#turnSpan) return
    this.#turn = { ...turn, isBegun: true }
    const key = `turn ${this.#task}.${turn.n} in ${this.#session?.key}`
    const span = this.#child(this.#session?.key ?? this.#lifeKey, key, turnName(turn.agent), {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": turn.agent,
      "gen_ai.conversation.id": codeOf(turn.session),
      "coppice.turn.n": Number(turn.n),
      "coppice.task.phase": this.#state,
    })
    this.#turnSpan = { ...span, startMs }
    this.#restsSinceMs = undefined
  }

  #endTurn(usage: Usage | undefined, atMs: number): void {
    const attributes = { ...(usage && usageAttributes(usage)), "coppice.turn.end": "ended" }
    this.#close(this.#turnSpan, { attributes }, atMs)
    this.#turnSpan = this.#turn = undefined
    this.#restsSinceMs = atMs
  }

  /** A turn that is open then is interrupted: its task's next job goes on with it. */
  #endJob(end: End, atMs: number): void {
    const interrupted = { "coppice.turn.end": "interrupted" }
    this.#close(this.#turnSpan, { ...end, attributes: interrupted }, atMs)
    this.#turnSpan = undefined
    this.#endSession(atMs)
    if (!this.#job) return
    const agent = { ...(this.#job.agent && { "gen_ai.agent.name": this.#job.agent }) }
    this.#close(this.#job, { ...end, attributes: { ...agent, ...end.attributes } }, atMs)
    this.#job = undefined
  }

  #addOfLanding({ type, data, atMs, seq }: TraceEvent): void {
    const state = type === "landing.submitted" ? "snapshotting" : data["to"]
    if (typeof state !== "string") return
    const outcome = typeof data["outcome"] === "string" ? codeOf(data["outcome"]) : null
    const attributes: Attributes = { ...(outcome && { "coppice.landing.outcome": outcome }) }
    const isEnd = ENDS.includes(state)
    const error = FAILURES.includes(state) ? (outcome ?? OTHER) : null
    const next = { ...(isEnd && attributes), "coppice.landing.next_state": state }
    this.#close(this.#landingState, { attributes: next, error }, atMs)
    this.#landingState = undefined
    if (isEnd) {
      const end = { ...attributes, "coppice.landing.state": state }
      this.#close(this.#landing, { attributes: end, error }, atMs)
      this.#landing = undefined
    } else {
      const wait = state === "waiting" ? attributes : {} // the others still have the last outcome
      this.#enter(state, { id: Number(data["landing"]), seq, attributes: wait }, atMs)
    }
  }

  #enter(
    state: string,
    {
      id,
      seq,
      attributes,
    }: { readonly id: number; readonly seq: number } & Pick<Open, "attributes">,
    startMs: number,
  ): void {
    const ofLanding = { "coppice.landing.id": id }
    const key = `landing ${id} from ${seq}`
    const landing = { ...this.#child(this.#lifeKey, key, "landing", ofLanding), startMs }
    this.#landing ??= landing
    const own = { ...ofLanding, "coppice.landing.state": state, ...attributes }
    const stateKey = traceKeys.landingState(seq)
    this.#landingState = { ...this.#child(this.#landing.key, stateKey, state, own), startMs }
  }

  get #lifeKey(): string {
    return this.#life?.key ?? traceKeys.task(this.#task)
  }

  #child(parent: string, key: string, name: string, attributes: Attributes) {
    return { parent, key, name, attributes }
  }

  #close(open: Open | undefined, { attributes = {}, error = null }: End, atMs: number): void {
    if (!open) return
    const { key, parent, name, startMs } = open
    const all = { "coppice.task.id": this.#task, ...open.attributes, ...attributes }
    const links = parent === null ? this.#links : []
    const endMs = Math.max(startMs, atMs) // the clock may have been set back
    const span = { task: this.#task, key, parent, name, startMs, endMs, error, links }
    this.#ended.push({ ...span, attributes: all })
  }
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/ */
const turnName = (agent: string): string => `invoke_agent ${agent}`

function usageAttributes(usage: Usage): Attributes {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = usage
  const tokensIn = inputTokens + cacheReadTokens + cacheWriteTokens
  if (tokensIn + outputTokens === 0 && costUsd === null) return {} // unknown
  return {
    "gen_ai.usage.input_tokens": tokensIn,
    "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    ...(costUsd !== null && { "coppice.cost_usd": costUsd }),
  }
}
