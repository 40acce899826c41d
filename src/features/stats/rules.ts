/** Counts what landed, what waited and why, and what it cost, from events. Pure. */

import type { Usage } from "../../api/wire/tasks.ts"
import type { TaskId } from "../../base/ids.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import { WaitSums } from "./rules/waits.ts"
import type { StatsDocument } from "./wire.ts"

type StatsEvent = Omit<StoredEvent, "seq">

export type Period = {
  readonly sinceMs: number
  readonly untilMs: number
  /** The local date of a time: `2026-05-31`. */
  dayOf(ms: number): string
}

/** The types of events that count, as patterns of file names. */
export const STATS_TYPES: readonly string[] = ["task.*", "turn.ended", "landing.*", "question.*"]

type Origin = { readonly agent: string | null; readonly atMs: number }
type Counts = { landed: number; handedBack: number; stuck: number; costUsd: number | null }
type OfAgent = Counts & { turns: number; tokensIn: number; tokensOut: number }

/** From a task's request to its landing. */
type Took = { readonly day: string; readonly ms: number }

const counts = (): Counts => ({ landed: 0, handedBack: 0, stuck: 0, costUsd: null })

export class Stats {
  readonly #period: Period
  readonly #origins = new Map<TaskId, Origin>()
  readonly #days = new Map<string, Counts>()
  readonly #agents = new Map<string | null, OfAgent>()
  readonly #costs = new Map<string, { day: string; agent: string | null; costUsd: number }>()
  readonly #times: Took[] = []
  readonly #waits: WaitSums
  readonly #handBacks = new Map<string, number>()
  readonly #stuck = new Map<string, { reason: string; agent: string | null; count: number }>()

  constructor(period: Period) {
    this.#period = period
    this.#waits = new WaitSums(period.sinceMs)
  }

  /** @param event in order; events from before the period too. */
  add(event: StatsEvent): void {
    const { type, task, data, atMs } = event
    if (type === "task.created" && task !== null)
      this.#origins.set(task, { agent: textOf(data["agent"]), atMs })
    this.#waits.add(event)
    if (atMs < this.#period.sinceMs) return
    if (type.startsWith("landing.")) this.#addLanding(event)
    if (type === "turn.ended") this.#addTurn(event, data["usage"] as Usage | undefined)
    if (type === "task.got_stuck") this.#addStuck(event)
  }

  document(): StatsDocument {
    const { sinceMs, untilMs } = this.#period
    const ofDay = (day: string) => {
      const times = spreadOf(this.#times.filter((time) => time.day === day))
      return times && { medianMs: times.medianMs, p90Ms: times.p90Ms }
    }
    const handBacks = [...this.#handBacks].map(([reason, count]) => ({ reason, count }))
    return {
      since: new Date(sinceMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      days: [...this.#days].map(([day, of]) => ({ day, ...of, timeToLand: ofDay(day) })),
      agents: [...this.#agents].map(([agent, of]) => ({ agent, ...of })),
      costs: [...this.#costs.values()],
      timeToLand: spreadOf(this.#times),
      waits: this.#waits.end(untilMs),
      handBacks: handBacks.toSorted((a, b) => b.count - a.count),
      stuck: [...this.#stuck.values()].toSorted((a, b) => b.count - a.count),
    }
  }

  #addTurn(event: StatsEvent, usage: Usage | undefined): void {
    if (!usage) return
    const agent = this.#agentOf(event)
    const of = this.#ofAgent(agent)
    of.turns += usage.turns
    of.tokensIn += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
    of.tokensOut += usage.outputTokens
    const { costUsd } = usage
    if (costUsd === null) return
    this.#count(event, (one) => {
      one.costUsd = (one.costUsd ?? 0) + costUsd
    })
    const day = this.#period.dayOf(event.atMs)
    const key = JSON.stringify([day, agent])
    const before = this.#costs.get(key)?.costUsd ?? 0
    this.#costs.set(key, { day, agent, costUsd: before + costUsd })
  }

  #addStuck(event: StatsEvent): void {
    this.#count(event, (one) => one.stuck++)
    const agent = this.#agentOf(event)
    const reason = textOf((event.data["reason"] as { code?: unknown } | null)?.code) ?? "failed"
    const key = JSON.stringify([reason, agent])
    const count = (this.#stuck.get(key)?.count ?? 0) + 1
    this.#stuck.set(key, { reason, agent, count })
  }

  #addLanding(event: StatsEvent): void {
    const { to, causes } = event.data
    const outcome = textOf(event.data["outcome"])
    if (to === "handed_back") {
      this.#count(event, (one) => one.handedBack++)
      const reasons = Array.isArray(causes) ? causes.map(String) : [outcome ?? "REJECTED"]
      for (const reason of reasons)
        this.#handBacks.set(reason, (this.#handBacks.get(reason) ?? 0) + 1)
    }
    if (to === "cleaning" && outcome === "LANDED") {
      this.#count(event, (one) => one.landed++)
      const origin = this.#originOf(event)
      const day = this.#period.dayOf(event.atMs)
      if (origin) this.#times.push({ day, ms: event.atMs - origin.atMs })
    }
  }

  /** For its day and for its agent. */
  #count(event: StatsEvent, change: (one: Counts) => void): void {
    const day = this.#period.dayOf(event.atMs)
    const ofDay = this.#days.get(day) ?? counts()
    this.#days.set(day, ofDay)
    change(ofDay)
    change(this.#ofAgent(this.#agentOf(event)))
  }

  #ofAgent(agent: string | null): OfAgent {
    const of = this.#agents.get(agent) ?? { ...counts(), turns: 0, tokensIn: 0, tokensOut: 0 }
    this.#agents.set(agent, of)
    return of
  }

  #originOf = ({ task }: StatsEvent): Origin | undefined =>
    task === null ? undefined : this.#origins.get(task)

  #agentOf = (event: StatsEvent): string | null => this.#originOf(event)?.agent ?? null
}

/** Half of the times, nine of ten, and all are at most this. */
function spreadOf(took: readonly Took[]) {
  const times = took.map(({ ms }) => ms).sort((a, b) => a - b)
  const within = (share: number) => times[Math.ceil(share * times.length) - 1]!
  return times.length === 0
    ? null
    : { medianMs: within(0.5), p90Ms: within(0.9), mostMs: within(1) }
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)
