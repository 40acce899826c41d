/** Traces of tasks, as a collector gets them: also one that fails, and from a daemon that is killed. */
import { expect, test } from "vitest"
import type { TaskId } from "../../src/base/ids.ts"
import { TaskTrace } from "../../src/features/traces/rules.ts"
import { Collector, type Span } from "../support/collector.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const SECRET = "api-key-0123456789"
const NOTE = 'echo "$TRACEPARENT" >>'
const FAILING = { repo: { gate: `${NOTE} "$STEPS/gates"; test ! -f bad.txt` } }
const PLAIN = { repo: { gate: false } }
const ON = {}
const LANDED = { "coppice.landing.state": "landed" }

function traced(collector: Collector, config: ConstructorParameters<typeof Fleet>[0]): Fleet {
  const fleet = new Fleet(config)
  fleet.extra["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url
  fleet.extra["OTEL_EXPORTER_OTLP_HEADERS"] = `x-api-key=${SECRET}`
  return fleet
}

const called = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name)
const parentOf = ({ traceId, spanId }: Span) => `00-${traceId}-${spanId}-01`

/** All that the log of events has, made in another process than the daemon. */
async function expected(fleet: Fleet): Promise<number> {
  const traces = new Map<string, TaskTrace>()
  let count = 0
  const { events } = await fleet.client.events({ limit: 500 })
  for (const { task, at, ...event } of events) {
    if (task === null) continue
    const trace = traces.get(task) ?? new TaskTrace(Number(task) as TaskId)
    traces.set(task, trace)
    count += trace.add({ ...event, atMs: Date.parse(at) }).length
  }
  return count
}

test("a task with a hand-back that lands is one tree, and its agent and gate join it [52.1, 52.3, 52.7]", async () => {
  await using collector = await Collector.start()
  await using fleet = traced(collector, FAILING)
  fleet.step(1, `echo a > bad.txt; ${NOTE} "$STEPS/turns"`)
  fleet.step(2, `rm bad.txt; echo b > b.txt; ${NOTE} "$STEPS/turns"`)
  const id = await fleet.start("a prompt of words", "--title", "A title of words")
  await fleet.until(id)
  const spans = await collector.until("task")
  expect(collector.faults).toEqual([])
  expect(collector.tree()).toEqual([
    "task",
    ...["  job", "    session", "      invoke_agent sh", "      invoke_agent sh"],
    ...["  landing !", "    snapshotting", "    queued", "    preparing", "    syncing"],
    "    gating !",
    ...["  landing", "    snapshotting", "    queued", "    preparing", "    syncing"],
    ...["    gating", "    publishing", "    cleaning"],
  ])
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(spans).toHaveLength(await expected(fleet))
  const [failed, landed] = called(spans, "landing")
  const outcome = "PRE_MERGE_FAILED"
  expect(failed!.attributes).toMatchObject({
    "coppice.landing.outcome": outcome,
    "error.type": outcome,
  })
  expect(landed!.attributes).toMatchObject({ ...LANDED, "coppice.landing.outcome": "LANDED" })
  expect(collector.resource).toMatchObject({
    "service.name": "coppice",
    "service.version": "0.1.0",
  })

  const [session] = called(spans, "session")
  expect(fleet.noted("turns")).toEqual([parentOf(session!), parentOf(session!)])
  const gates = called(spans, "gating").map(parentOf)
  expect(new Set(fleet.noted("gates"))).toEqual(new Set(gates))

  const sent = collector.requests.map(({ text }) => text).join("\n")
  const { path } = fleet.home
  for (const words of ["words", "bad.txt", "test !", fleet.repo.path, path, SECRET])
    expect(sent).not.toContain(words)
  for (const { headers } of collector.requests) expect(headers["x-api-key"]).toBe(SECRET)
  expect(fleet.home.daemonLogs()).not.toContain(SECRET)

  const { length } = collector.requests
  await fleet.coppice("down")
  await fleet.coppice("up", "-d")
  await fleet.until(await fleet.start("true"))
  await collector.until("task", { "coppice.task.id": 2 })
  const again = collector.requests
    .slice(length)
    .filter(({ text }) => text.includes(session!.spanId))
  expect(again, "the next daemon begins where the last one ended").toEqual([])
})

test("a task that got stuck and was restarted has two jobs, and the reason of the first [52.1]", async () => {
  await using collector = await Collector.start()
  await using fleet = traced(collector, PLAIN)
  fleet.step(1, "exit 9")
  fleet.step(2, "echo b > b.txt")
  const id = await fleet.start("do it")
  await fleet.until(id)
  const stuck = await collector.until("job")
  expect(called(stuck, "task"), "the task has not ended").toEqual([])
  await fleet.coppice("restart", id)
  await fleet.until(id)
  const spans = await collector.until("task")
  const job = (mark: string) => [`  job${mark}`, "    session", "      invoke_agent sh"]
  const states = ["snapshotting", "queued", "preparing", "syncing", "publishing", "cleaning"]
  const landing = ["  landing", ...states.map((state) => `    ${state}`)]
  expect(collector.tree()).toEqual(["task", ...job(" !"), ...job(""), ...landing])
  expect(called(spans, "job").map(({ attributes }) => attributes)).toMatchObject([
    { "coppice.job.number": 1, "coppice.task.state": "stuck", "error.type": "failed" },
    { "coppice.job.number": 2, "coppice.task.state": "complete" },
  ])
  expect(called(spans, "task")[0]!.attributes["coppice.task.jobs"]).toBe(2)
})

test("a collector that fails delays no task, is tried again as it asks, and is reported once [52.4, 52.5]", async () => {
  await using collector = await Collector.start()
  await using fleet = traced(collector, PLAIN)
  fleet.extra["OTEL_EXPORTER_OTLP_TIMEOUT"] = "300"
  fleet.extra["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip"
  const retryAfter = { "Retry-After": "8" }
  collector.failures.push({ status: 429, headers: retryAfter }, "hang", "lose")
  const id = await fleet.start("echo a > a.txt")
  expect((await fleet.until(id)).state).toBe("complete")
  await waitFor("a first request", () => collector.requests.length > 0)
  const { maintenance } = await fleet.client.status()
  expect(maintenance?.problems).toContainEqual(expect.stringContaining("collector of traces"))
  expect((await fleet.coppice("doctor")).stdout).toContain("The collector of traces takes none")
  await waitFor("a second request", () => collector.requests.length > 1)
  const [first, second] = collector.requests
  expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(7_990)

  const spans = await collector.until("task")
  await waitFor(
    "the rest of the spans",
    async () => collector.spans.length >= (await expected(fleet)),
  )
  await waitFor("no more trouble", async () => {
    const status = await fleet.client.status()
    return !JSON.stringify(status.maintenance?.problems).includes("collector")
  })
  expect(collector.taken.length, "the answer to the first was lost").toBeGreaterThan(spans.length)
  expect(collector.faults).toEqual([])
  const warnings = fleet.home.daemonLogs().match(/"level":40.*/g)
  expect(warnings).toHaveLength(1)
  expect(warnings![0]).not.toContain(collector.url)
})

test("a daemon that is killed before it records an export sends the same spans again, and loses none [52.2]", async () => {
  await using collector = await Collector.start()
  await using fleet = traced(collector, FAILING)
  fleet.step(1, "echo a > bad.txt; sleep 1")
  fleet.step(2, "rm bad.txt; echo b > b.txt; sleep 1")
  collector.failures.push("stall")
  const id = await fleet.start("do it")
  for (const kill of [1, 2]) {
    await waitFor("spans", () => collector.requests.length >= kill, 60_000)
    await fleet.kill()
    if (kill < 2) collector.failures.push("stall")
    await fleet.coppice("up", "-d")
  }
  await fleet.until(id)
  await collector.until("landing", LANDED)
  await collector.until("task")
  const spans = await waitFor("all spans", async () => {
    const { spans } = collector // throws if one differs from its repetition
    return spans.length >= (await expected(fleet)) && spans
  })
  expect(spans).toHaveLength(await expected(fleet))
  expect(collector.taken.length).toBeGreaterThan(spans.length)
  expect(collector.faults).toEqual([])
})

test("switched off, or with settings that cannot work, nothing is sent, now or later [52.5, 52.6]", async () => {
  await using collector = await Collector.start()
  await using fleet = traced(collector, PLAIN)
  const NOTED = 'echo "[$TRACEPARENT]" >> "$STEPS/turns"; echo a > $COPPICE_TASK.txt'
  fleet.step(1, NOTED)
  const run = async (off: object) => {
    const before = { ...fleet.extra }
    Object.assign(fleet.extra, off)
    await fleet.until(await fleet.start("do it"))
    if (off === ON) await collector.until("landing", LANDED)
    const { maintenance } = await fleet.client.status()
    await fleet.coppice("down")
    for (const name of Object.keys(fleet.extra)) delete fleet.extra[name]
    Object.assign(fleet.extra, before)
    return maintenance?.problems
  }
  await run(ON)
  expect(await run({ OTEL_SDK_DISABLED: "true" })).toEqual([])
  expect(await run({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toEqual([
    "Traces are off: OTEL_EXPORTER_OTLP_PROTOCOL is `grpc`, and Coppice sends JSON over HTTP alone.",
  ])
  expect(fleet.noted("turns").slice(1)).toEqual(["[]", "[]"])
  await fleet.until(await fleet.start("do it"))
  const spans = await collector.until("task", { "coppice.task.id": 4 })
  const tasks = new Set(spans.map(({ attributes }) => attributes["coppice.task.id"]))
  expect(tasks).toEqual(new Set([1, 4]))
})
