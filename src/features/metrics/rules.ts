/**
 * Counts events since the daemon started, and writes them as Prometheus reads them. Pure.
 *
 * Labels are types, states, outcomes, codes and names of agents: never a task or its words. An agent may choose the
 * code of its own failure, so each label has a bounded number of values.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */

import type { Usage } from "../../api/wire/tasks.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"

/** Of one metric; further ones are counted together. Configurations have fewer agents, and Coppice fewer codes. */
const SERIES_MAX = 200
const OTHER = "other"

type Labels = Readonly<Record<string, string>>
type Series = Map<string, number>
type MetricsEvent = Omit<StoredEvent, "seq">

// biome-ignore format: a table reads best as one
const COUNTERS = {
  coppice_events_total: "Events, by type.",
  coppice_landings_total: "Landings that were published, handed back or failed, by outcome.",
  coppice_landing_state_seconds_total: "Seconds that landings spent in each state: queued, gating, waiting and so on.",
  coppice_landing_states_total: "How often landings left each state.",
  coppice_hand_backs_total: "Hand-backs to agents, by reason.",
  coppice_stuck_total: "Tasks that got stuck, by reason.",
  coppice_turns_total: "Turns of agents.",
  coppice_tokens_total: "Tokens of agents, by direction.",
  coppice_cost_dollars_total: "Known cost of agents.",
} as const
type Counter = keyof typeof COUNTERS

const ENDS: readonly unknown[] = ["cleaning", "handed_back", "failed"]

export class Metrics {
  readonly #counters = new Map<Counter, Series>()
  /** When a landing came into its state. */
  readonly #since = new Map<unknown, { readonly state: string; readonly atMs: number }>()

  /** @param agent of the event's task. */
  add({ type, data, atMs }: MetricsEvent, agent: string | null): void {
    this.#count("coppice_events_total", { type })
    if (type.startsWith("landing.") && typeof data["to"] === "string")
      this.#addLanding(data, data["to"], atMs)
    if (type === "task.got_stuck") {
      const { code } = (data["reason"] ?? {}) as { readonly code?: unknown }
      this.#count("coppice_stuck_total", { reason: typeof code === "string" ? code : "failed" })
    }
    if (type === "turn.ended" && data["usage"])
      this.#addUsage(data["usage"] as Usage, { agent: agent ?? "" })
  }

  #addLanding(
    { landing, outcome, causes }: MetricsEvent["data"],
    state: string,
    atMs: number,
  ): void {
    const before = this.#since.get(landing)
    if (before) {
      const seconds = Math.max(0, atMs - before.atMs) / 1000
      this.#count("coppice_landing_state_seconds_total", { state: before.state }, seconds)
      this.#count("coppice_landing_states_total", { state: before.state })
    }
    if (/^(landed|cancelled|failed|handed_back)$/.test(state)) this.#since.delete(landing)
    else this.#since.set(landing, { state, atMs })
    const word = typeof outcome === "string" ? outcome : "REJECTED"
    if (ENDS.includes(state)) this.#count("coppice_landings_total", { outcome: word })
    if (state !== "handed_back") return
    for (const reason of Array.isArray(causes) ? causes.map(String) : [word])
      this.#count("coppice_hand_backs_total", { reason })
  }

  #addUsage(usage: Usage, labels: { readonly agent: string }): void {
    const { turns, costUsd, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
    const tokensIn = inputTokens + cacheReadTokens + cacheWriteTokens
    this.#count("coppice_turns_total", labels, turns)
    this.#count("coppice_tokens_total", { ...labels, direction: "in" }, tokensIn)
    this.#count("coppice_tokens_total", { ...labels, direction: "out" }, outputTokens)
    if (costUsd !== null) this.#count("coppice_cost_dollars_total", labels, costUsd)
  }

  #count(name: Counter, labels: Labels, by = 1): void {
    const series = this.#counters.get(name) ?? new Map<string, number>()
    this.#counters.set(name, series)
    const key = labelText(labels)
    const isRoom = series.has(key) || series.size < SERIES_MAX
    const others = Object.fromEntries(Object.keys(labels).map((label) => [label, OTHER]))
    const kept = isRoom ? key : labelText(others)
    series.set(kept, (series.get(kept) ?? 0) + by)
  }

  /** @param gauges the present values of the others. */
  text(gauges: readonly Gauge[]): string {
    const counters = [...this.#counters].map(([name, series]) =>
      family({ name, about: COUNTERS[name], type: "counter", series }),
    )
    const now = gauges.map(({ values, ...gauge }) => {
      const series = new Map(values.map(([labels, value]) => [labelText(labels), value]))
      return family({ ...gauge, type: "gauge", series })
    })
    return [...now, ...counters].join("")
  }
}

export type Gauge = {
  readonly name: string
  readonly about: string
  readonly values: readonly (readonly [Labels, number])[]
}

type Family = Omit<Gauge, "values"> & { readonly type: string; readonly series: Series }

function family({ name, about, type, series }: Family): string {
  const lines = [...series].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n${lines.join("")}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(",")}}` : ""
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
