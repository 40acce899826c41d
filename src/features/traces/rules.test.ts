import fc from "fast-check"
import { expect, test } from "vitest"
import type { TaskId } from "../../base/ids.ts"
import { TaskTrace, type TraceEvent, type TraceSpan } from "./rules.ts"

type Told = readonly [type: string, data?: TraceEvent["data"]]

const eventsOf = (told: readonly Told[]): TraceEvent[] =>
  told.map(([type, data = {}], at) => ({ seq: at + 1, atMs: (at + 1) * 1_000, type, data }))

function spansOf(told: readonly Told[]): TraceSpan[] {
  const trace = new TaskTrace(7 as TaskId)
  return eventsOf(told).flatMap((event) => trace.add(event))
}

/** Each span as `name start-end`, in seconds, below its parent. */
function draw(told: readonly Told[]): string[] {
  const spans = spansOf(told)
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter((span) => span.parent === parent)
      .sort((one, other) => one.startMs - other.startMs)
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.name} ${span.startMs / 1000}-${span.endMs / 1000}${span.error ? ` ${span.error}` : ""}`,
        ...below(span.key, depth + 1),
      ])
  return below(null, 0)
}

const created: Told = ["task.created", { agent: "ann", parent: 3 }]
const task = (to: string, code?: string): Told => [
  "task.moved",
  { to, reason: code ? { code } : null },
]
const job = (id: number): Told => ["job.started", { job: id }]
const opened = (n: number, session = "s1", agent = "ann"): Told => [
  "turn.opened",
  { n, session, agent },
]
const began = (n: number): Told => ["turn.began", { n }]
const ended = (n: number, usage?: object): Told => ["turn.ended", { n, usage }]
const landing = (to: string, outcome: string | null = null): Told => [
  "landing.moved",
  { landing: 4, to, outcome },
]
const submitted: Told = ["landing.submitted", { landing: 4 }]

test("a turn that is interrupted goes on in the next job", () => {
  const before = [created, task("working"), job(1), opened(1), began(1), task("paused")]
  expect(draw([...before, task("working"), job(2), ended(1), task("complete")])).toEqual([
    "task 1-10",
    ...["  job 3-6", "    session 4-6", "      invoke_agent ann 5-6"],
    ...["  job 8-10", "    session 8-9", "      invoke_agent ann 8-9"],
  ])
})

test("a handoff and a renewed conversation are sessions of one job, and a fallback has a job of its own", () => {
  const first = [created, task("working"), job(1), opened(1), began(1), ended(1)]
  const handed = [
    opened(2, "s2"),
    began(2),
    ["session.renewed", { session: "s3" }],
    began(2),
  ] as const
  const replaced = [ended(2), job(2), opened(3, "s4", "bob"), began(3), ended(3), task("complete")]
  expect(draw([...first, ...handed, ...replaced])).toEqual([
    "task 1-16",
    ...["  job 3-12", "    session 4-6", "      invoke_agent ann 5-6"],
    ...[
      "    session 7-9",
      "      invoke_agent ann 8-9",
      "    session 9-11",
      "      invoke_agent ann 10-11",
    ],
    ...["  job 12-16", "    session 13-15", "      invoke_agent bob 14-15"],
  ])
})

test("a landing shows each state and the reason of each wait, and a new submission is a new span", () => {
  const waits = [landing("waiting", "DIRTY_MAIN"), landing("snapshotting", "DIRTY_MAIN")]
  const failed = [landing("failed", "PUSH_REFUSED"), task("merge_failed", "landing")]
  const told = [created, submitted, ...waits, ...failed, task("merging"), landing("snapshotting")]
  const all = [...told, landing("landed", "LANDED"), task("complete")]
  expect(draw(all)).toEqual([
    "task 1-10",
    ...["  landing 2-5 PUSH_REFUSED", "    snapshotting 2-3", "    waiting 3-4"],
    "    snapshotting 4-5 PUSH_REFUSED",
    ...["  landing 8-9", "    snapshotting 8-9"],
  ])
  const wait = spansOf(all).find(({ name }) => name === "waiting")
  expect(wait?.attributes).toMatchObject({ "coppice.landing.outcome": "DIRTY_MAIN" })
})

test("a task that is resumed lives again below its first life, and a deleted one has ended", () => {
  const first = [created, task("complete"), task("working"), job(1)]
  expect(draw([...first, opened(1), began(1), ["task.deleted"]])).toEqual([
    "task 1-2",
    ...["  task 3-7", "    job 4-7", "      session 5-7", "        invoke_agent ann 6-7"],
  ])
  const [life] = spansOf(first)
  expect(life).toMatchObject({ parent: null, links: [3] })
})

test("a turn has the tokens and the cost of its agent where they are known", () => {
  const usage = {
    turns: 1,
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 2,
    cacheWriteTokens: 1,
    costUsd: 0.5,
  }
  const [turn] = spansOf([created, opened(1), began(1), ended(1, usage)])
  expect(turn?.attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 13,
    "gen_ai.usage.output_tokens": 5,
    "coppice.cost_usd": 0.5,
  })
  const none = {
    turns: 1,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd: null,
  }
  const [unknown] = spansOf([created, opened(1), began(1), ended(1, none)])
  expect(JSON.stringify(unknown)).not.toContain("usage")
})

const SENTENCE = "sk-live-0123 said /home/ada\nrm -rf"

test("no word of an agent, a person or a path becomes part of a span [52.3]", () => {
  const reason = { code: SENTENCE, text: SENTENCE }
  const told: Told[] = [
    ["task.created", { title: SENTENCE, agent: SENTENCE, workItem: SENTENCE }],
    ...[job(1), opened(1, SENTENCE, SENTENCE), began(1)],
    ["turn.declared", { n: 1, summary: SENTENCE }],
    ...[ended(1), submitted],
    [
      "landing.moved",
      { landing: 4, to: "waiting", outcome: SENTENCE, reason: SENTENCE, paths: [SENTENCE] },
    ],
    ["task.got_stuck", { to: "stuck", reason }],
    ["task.deleted", { title: SENTENCE, notices: [SENTENCE] }],
  ]
  const spans = spansOf(told)
  const shown = spans
    .map(({ key: _key, parent: _parent, ...rest }) => JSON.stringify(rest))
    .join("")
  expect(spans.map(({ name }) => name)).toContain("job")
  for (const part of ["sk-live", "said", "ada", "rm -rf"]) expect(shown).not.toContain(part)
})

const anyTold: fc.Arbitrary<Told> = fc.oneof(
  fc.constantFrom<Told>(submitted, ["task.deleted"], ["landing.decided", { landing: 4 }]),
  fc
    .constantFrom("working", "stuck", "paused", "complete", "merging", "cancelled")
    .map((to) => task(to)),
  fc
    .constantFrom("queued", "gating", "waiting", "handed_back", "landed", "paused")
    .map((to) => landing(to)),
  fc
    .integer({ min: 1, max: 3 })
    .chain((n) => fc.constantFrom(began(n), ended(n), opened(n, `s${n}`))),
  fc.constant<Told>(["session.renewed"]),
)

/** As the store makes them: a task is created once, and each job and each renewed session is a new one. */
function asStored(told: readonly Told[]): Told[] {
  let made = 0
  const all = told.flatMap((one): Told[] => {
    if (one[0] === "turn.opened") return [job(++made), one]
    if (one[0] !== "session.renewed") return [one]
    return [["session.renewed", { session: `fresh-${++made}` }]]
  })
  return [created, ...all]
}

test("each span ends once, no later than the last event, and the same events give the same keys", () => {
  fc.assert(
    fc.property(fc.array(anyTold, { maxLength: 40 }), (told) => {
      const all = asStored(told)
      const spans = spansOf(all)
      expect(new Set(spans.map(({ key }) => key)).size).toBe(spans.length)
      for (const { startMs, endMs } of spans) expect(startMs).toBeLessThanOrEqual(endMs)
      for (const { endMs } of spans) expect(endMs).toBeLessThanOrEqual(all.length * 1_000)
      expect(spansOf(all)).toEqual(spans)
    }),
  )
})
