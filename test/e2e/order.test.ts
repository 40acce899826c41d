/** In which order work lands, and what `coppice queue` says of it. */
import { expect, test } from "vitest"
import { QueueDocument } from "../../src/api/wire/landings.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Does its work, then waits until it is let go. */
const work = (file: string, until: string) =>
  `echo x > ${file}; git add -A; git commit -qm ${file}; while [ ! -e "$STEPS/${until}" ]; do sleep 0.05; done`

test("work with --after lands after that task, and is held until then [17.4]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(work("first", "go"))
  const second = await fleet.json(TaskDocument, [
    ...["run", work("second", "."), "--detach", "--after", first, "--after", "1"],
  ])
  expect(second.after).toEqual([first])
  const third = await fleet.json(TaskDocument, ["run", work("third", ".")])
  expect(third, "it delays none, so it lands").toMatchObject({ state: "complete" })

  await fleet.until(second.id, ({ landing }) => landing?.state === "queued")
  const why = await fleet.json(WhyDocument, ["why", second.id])
  expect(why.waitingFor).toBe(`task ${first}, which it lands after`)
  const { queues } = await fleet.json(QueueDocument, ["queue"])
  expect(queues).toMatchObject([{ path: fleet.repo.path, target: "main" }])
  expect(queues[0]?.landings).toMatchObject([
    { task: second.id, state: "queued", waitingFor: why.waitingFor },
  ])
  expect((await fleet.coppice("queue")).stdout).toContain(why.waitingFor)

  fleet.noted("go")
  for (const id of [first, second.id])
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.log().slice(0, 3)).toEqual(["second", "first", "third"])
  expect(await fleet.json(QueueDocument, ["queue"])).toEqual({ queues: [] })
})

test("a dependency that is given up holds nothing up [17.4]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(work("first", "never"))
  const second = await fleet.start(work("second", "."), "--after", first)
  await fleet.until(second, ({ landing }) => landing?.state === "queued")
  await fleet.json(TaskDocument, ["cancel", first])
  expect(await fleet.until(second)).toMatchObject({ state: "complete" })
})

test("shows a priority; refuses a priority that is not a number, and an unknown task", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { id } = await fleet.json(TaskDocument, ["run", "true", "--priority=-3"])
  expect(await fleet.json(TaskDocument, ["show", id])).toMatchObject({ priority: -3, after: [] })
  expect((await fleet.coppice("show", id)).stdout).toMatch(/priority\s+-3/)
  for (const args of [
    ["--priority", "high"],
    ["--after", "7"],
  ])
    expect(await fleet.coppice("run", "true", ...args)).toMatchObject({ code: 2 })
  expect((await fleet.client.list()).tasks).toHaveLength(1)
})

test("work with --on starts from that task's work, waits for it, and only its own commits land after it [17.13]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(work("first", "let"))
  const on = await fleet.json(TaskDocument, [
    ...["run", "test -e first && echo x > second", "--detach", "--on", first, "--title", "Second"],
  ])
  expect(on).toMatchObject({ after: [first], on: first, state: "registered" })
  expect((await fleet.json(WhyDocument, ["why", on.id])).waitingFor).toBe(
    `the work of task ${first}, which it starts from`,
  )
  fleet.noted("let")
  for (const id of [first, on.id])
    expect(await fleet.until(id)).toMatchObject({
      state: "complete",
      landing: { outcome: "LANDED" },
    })
  expect(fleet.log().slice(0, 2)).toEqual(["agent: Second", "first"])
})

test("a task cannot start from work that is cancelled, or lands in another way", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(work("first", "never"))
  for (const mode of ["none", "pr"]) {
    const run = await fleet.coppice("run", "true", "--on", first, "--land", mode)
    expect(run).toMatchObject({ code: 2, stderr: /cannot start from the work of task 1/ })
  }
  const second = await fleet.start("true", "--on", first)
  await fleet.json(TaskDocument, ["cancel", first])
  const why = await fleet.json(WhyDocument, ["why", second])
  expect(why.waitingFor).toMatch(/task 1, which it starts from and which was cancelled/)
  expect(await fleet.coppice("run", "true", "--on", first)).toMatchObject({ code: 2 })
})
