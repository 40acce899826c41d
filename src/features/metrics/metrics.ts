/**
 * The daemon's metrics, and the two files with which a Prometheus of the same user scrapes them.
 *
 * `metrics-token` lasts, and opens `GET /metrics` alone. Each daemon writes its address to
 * `metrics-targets.json`, so no port has to be fixed.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { replaceFile } from "../../api/client/make-private-folder.ts"
import { readSmall } from "../../api/client/read-small.ts"
import { countLandings } from "../../kernel/landing/rows/count.ts"
import type { Db } from "../../kernel/store/open.ts"
import { onCommit } from "../../kernel/store/sql.ts"
import { countTasks, findTask } from "../../kernel/tasks/rows/find.ts"
import { type Gauge, Metrics } from "./rules.ts"

const PERCENTILES = [50, 99]

export class DaemonMetrics {
  readonly token: string
  readonly #db: Db
  readonly #metrics = new Metrics()
  /** Measured once a scraper is there: it wakes the process often. */
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined

  constructor(db: Db, stateDir: string) {
    this.#db = db
    this.token = metricsToken(stateDir)
    onCommit(db, (events) => {
      for (const event of events) this.#metrics.add(event, this.#agentOf(event))
    })
  }

  /** The delay of the event loop is that since the last scrape. */
  text(): string {
    const gauges: Gauge[] = [
      counted("coppice_tasks", "Tasks, by state.", countTasks(this.#db)),
      counted("coppice_landings", "Unfinished landings, by state.", countLandings(this.#db)),
      {
        name: "process_resident_memory_bytes",
        about: "Memory of the daemon.",
        values: [[{}, process.memoryUsage.rss()]],
      },
      {
        name: "coppice_event_loop_delay_seconds",
        about: "How late the daemon's event loop was.",
        values: this.#readDelays(),
      },
    ]
    return this.#metrics.text(gauges)
  }

  #readDelays(): Gauge["values"] {
    const delays = this.#delays
    if (!delays) {
      this.#delays = monitorEventLoopDelay()
      this.#delays.enable()
      return []
    }
    const values = PERCENTILES.map((percentile) => {
      const seconds = delays.percentile(percentile) / 1e9
      return [{ percentile: `${percentile}` }, seconds] as const
    })
    delays.reset()
    return values
  }

  #agentOf({
    type,
    task,
  }: {
    readonly type: string
    readonly task: Parameters<typeof findTask>[1]
  }) {
    return type === "turn.ended" ? (findTask(this.#db, task)?.agent ?? null) : null
  }
}

const counted = (name: string, about: string, counts: Readonly<Record<string, number>>): Gauge => ({
  name,
  about,
  values: Object.entries(counts).map(([state, count]) => [{ state }, count] as const),
})

const TOKEN_BYTES = 32
const TOKEN = /^[0-9a-f]{64}$/

/** @returns the token of the home's metrics, made if it is missing. */
function metricsToken(stateDir: string): string {
  const path = join(stateDir, "metrics-token")
  try {
    const known = readSmall(path).trim()
    if (TOKEN.test(known)) return known
  } catch {
    // there is none yet
  }
  const token = randomBytes(TOKEN_BYTES).toString("hex")
  replaceFile(path, token)
  return token
}

/** For `file_sd_configs` of Prometheus. */
export function writeMetricsTarget(
  stateDir: string,
  { address, home }: { readonly address: string; readonly home: string },
): void {
  const targets = [{ targets: [new URL(address).host], labels: { home } }]
  replaceFile(join(stateDir, "metrics-targets.json"), `${JSON.stringify(targets)}\n`)
}
