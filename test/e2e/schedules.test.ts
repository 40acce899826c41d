/** Schedules create tasks, survive kills, and obey a person. */
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { ScheduleDocument } from "../../src/features/schedules/wire.ts"
import { Fleet } from "../support/fleet.ts"

const withSchedules = (schedules: object) => ({
  repo: { gate: false },
  sh: { schedules, workspace: { branch_pattern: "{scheduleName}/{workItem}" } },
})

test("a schedule creates tasks that land, with its name in the branch; status shows the next start [40.7]", async () => {
  await using fleet = new Fleet(
    withSchedules({
      tidy: { interval: "1s", prompt: "echo $COPPICE_TASK > tidy.txt", title: "Tidy" },
    }),
  )
  await fleet.coppice("up", "-d")
  const created = await fleet.event(({ type }) => type === "task.created")
  expect(created.data).toMatchObject({ title: "Tidy", agent: "sh", schedule: "tidy" })
  const task = await fleet.until(created.task!)
  expect(task.state).toBe("complete")
  const events = await fleet.client.events({ limit: 500 })
  const branch = events.events
    .flatMap(({ data }) => Object.values(data))
    .find((value) => String(value).startsWith("tidy/"))
  expect(branch).toMatch(/^tidy\/\d{4}-\d\d-\d\d$/)
  const { schedules } = await fleet.json(StatusDocument, ["status"])
  expect(schedules).toMatchObject([
    { agent: "sh", name: "tidy", timing: "every 1s", enabled: true },
  ])
  expect((await fleet.coppice("status")).stdout).toMatch(
    /schedule +sh\/tidy: next \d{4}-.* \(every 1s\)/,
  )
})

test("a schedule fires once for each tick that it took, whenever its daemon is killed [40.1]", async () => {
  await using fleet = new Fleet(
    withSchedules({ tidy: { interval: "1s", prompt: "true", overlap: true } }),
  )
  for (let round = 0; round < 4; round++) {
    await fleet.coppice("up", "-d")
    const after = (await fleet.client.events({ limit: 500 })).events.at(-1)?.seq ?? 0
    await fleet.event(({ type }) => type === "task.created", after)
    await fleet.kill()
  }
  await fleet.coppice("up", "-d")
  await fleet.coppice("schedule", "tidy", "off")
  const { events } = await fleet.client.events({ limit: 500 })
  const seconds = events
    .filter(({ type }) => type === "task.created")
    .map(({ at }) => Date.parse(at))
  expect(seconds.length).toBeGreaterThanOrEqual(4)
  const spanS = (seconds.at(-1)! - seconds[0]!) / 1000
  expect(seconds.length, "no more tasks than ticks").toBeLessThanOrEqual(Math.ceil(spanS) + 1)
})

test("a person triggers and switches a schedule [40.6]", async () => {
  await using fleet = new Fleet(
    withSchedules({
      nightly: { cron: "0 3 1 1 *", prompt: "echo night > night.txt", enabled: false },
    }),
  )
  const triggered = await fleet.coppice("trigger", "nightly")
  expect(triggered).toMatchObject({ code: 0, stdout: "1  echo night > night.txt\n" })
  expect((await fleet.until("1")).state).toBe("complete")
  const on = await fleet.json(ScheduleDocument, ["schedule", "sh/nightly", "on"])
  expect(on).toMatchObject({
    enabled: true,
    nextAt: expect.stringContaining("-01-01T"),
    problem: null,
  })
  expect((await fleet.coppice("schedule", "sh", "off")).stdout).toBe(
    "sh/nightly: off (0 3 1 1 *)\n",
  )
  const unknown = await fleet.coppice("trigger", "weekly")
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Schedules here: `sh/nightly`"),
  })
})

test("C11: of two due schedules of an agent that has one task at a time, the second waits its turn [40.9]", async () => {
  await using fleet = new Fleet()
  const wait = 'while [ ! -f "$STEPS/go" ]; do sleep 0.05; done'
  const tick = { interval: "1s", prompt: wait }
  fleet.configure({
    repo: { gate: false },
    sh: { max_concurrent: 1, schedules: { one: tick, two: tick } },
  })
  await fleet.coppice("up", "-d")
  for (const id of ["1", "2"])
    await fleet.event(({ type, data }) => type === "schedule.skipped" && data["unfinished"] === id)
  const { tasks } = await fleet.client.list()
  expect(tasks.map(({ state }) => state).sort()).toEqual(["registered", "working"])
  const second = tasks.find(({ state }) => state === "registered")!
  const why = (await fleet.coppice("why", second.id)).stdout
  expect(why).toContain("a free slot for its agent (agents.sh.max_concurrent is 1)")
  expect(why).not.toContain("limits.concurrent")
  await fleet.coppice("schedule", "one", "off")
  await fleet.coppice("schedule", "two", "off")
  fleet.noted("go")
  for (const { id } of tasks) expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test("a schedule runs as approved: a change waits for its approval, and the earlier one goes on [40.8]", async () => {
  await using fleet = new Fleet(withSchedules({ tidy: { interval: "1s", prompt: "true" } }))
  await fleet.coppice("up", "-d")
  fleet.repo.write({
    "coppice.yml": JSON.stringify({
      version: 1,
      agents: {
        sh: {
          runtime: "command",
          command: "false",
          schedules: { evil: { interval: "1s", prompt: "x" } },
        },
      },
    }),
  })
  const after = (await fleet.client.events({ limit: 500 })).events.at(-1)?.seq ?? 0
  const created = await fleet.event(({ type }) => type === "task.created", after)
  expect(created.data["schedule"]).toBe("tidy")
})

test("the task of higher priority takes the free slot, from a schedule and from `run` [17.3, 40.9]", async () => {
  await using fleet = new Fleet()
  const tick = { interval: "1h", enabled: true }
  fleet.configure({
    repo: { gate: false },
    sh: {
      schedules: {
        low: { ...tick, prompt: `echo low >> ${fleet.steps}/order`, priority: -5 },
        high: { ...tick, prompt: `echo high >> ${fleet.steps}/order`, priority: 5 },
      },
    },
    limits: { concurrent: 1 },
  })
  const first = await fleet.start('while [ ! -f "$STEPS/go" ]; do sleep 0.05; done')
  await fleet.until(first, ({ state }) => state === "working")
  await fleet.coppice("trigger", "low")
  await fleet.start(`echo default >> ${fleet.steps}/order`)
  await fleet.start(`echo highest >> ${fleet.steps}/order`, "--priority", "9")
  await fleet.coppice("trigger", "high")
  expect((await fleet.coppice("why", "3")).stdout).toContain("(limits.concurrent is 1)")
  fleet.noted("go")
  for (const id of ["2", "3", "4", "5"]) await fleet.until(id)
  expect(fleet.noted("order")).toEqual(["highest", "high", "default", "low"])
})
