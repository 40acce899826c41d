/** Loaded into a daemon: notes how late its event loop is, for the benchmark to read. */
import { writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const NOTE_EVERY_MS = 500
const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()
process.on("SIGUSR2", () => delays.reset())
setInterval(() => {
  const note = { p99Ms: delays.percentile(99) / 1e6 }
  writeFileSync(`${process.env.BENCH_LOOP_DELAY}.${process.pid}`, JSON.stringify(note))
}, NOTE_EVERY_MS).unref()
