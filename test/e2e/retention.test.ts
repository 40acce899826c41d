/** Reading events and logs that `maintenance.retention` has deleted says so, and comes to an end. */
import { expect, test } from "vitest"
import { EventsDocument, LogDocument } from "../../src/api/wire/events.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const FORGOTTEN = expect.objectContaining({ type: "events.forgotten" })

test("each reader says once that records were deleted, and ends or goes on [33.7]", async () => {
  const maintenance = { retention: "1s" }
  await using fleet = new Fleet({ repo: { gate: false }, maintenance })
  const over = await fleet.until(await fleet.start("echo said; echo w > w.txt"))
  const alone = { after: 0, task: over.id }
  await waitFor("the end of its records", async () => {
    await fleet.client.gc()
    return (await fleet.client.events(alone)).events.every((one) => one.type === "events.forgotten")
  })
  const stays = await fleet.until(await fleet.start("exit 75"))

  const all = await fleet.json(EventsDocument, ["events"])
  expect(all.events.filter(({ type }) => type === "events.forgotten")).not.toEqual([])
  expect(all.events.at(-1)).toMatchObject({ task: stays.id })
  expect((await fleet.json(EventsDocument, ["events", over.id])).events).toEqual([FORGOTTEN])
  const tail = await fleet.json(EventsDocument, ["events", over.id, "--tail", "2"])
  expect(tail.events).toEqual([FORGOTTEN])
  expect((await fleet.json(EventsDocument, ["events", "--tail", "2"])).events).toHaveLength(2)
  for (const args of [["logs"], ["logs", "-n", "3"]]) {
    const { lines } = await fleet.json(LogDocument, [...args, over.id])
    expect(lines, args.join(" ")).toMatchObject([{ text: expect.stringContaining("retention") }])
  }
  for (const args of [["logs", "-f"], ["watch"], ["watch", "--all"]]) {
    const { code, stdout } = await fleet.coppice(...args, over.id)
    expect([args, code, stdout]).toEqual([
      args,
      0,
      expect.stringContaining(args[0] === "logs" ? "retention" : "complete"),
    ])
  }
  const signal = AbortSignal.timeout(60_000)
  const followed: string[] = []
  for await (const { type, task } of fleet.client.followEvents({ after: 0, signal })) {
    followed.push(type)
    if (task === stays.id && type === "task.got_stuck") break
  }
  expect(followed.filter((type) => type === "events.forgotten")).toHaveLength(1)
})

test("a follower goes on with the daemon that takes the place of one that died [35.15]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.until(await fleet.start("true"))
  const signal = AbortSignal.timeout(60_000)
  const events = fleet.client.followEvents({ after: 0, signal })[Symbol.asyncIterator]()
  await events.next()
  await fleet.kill()
  const next = await fleet.start("true")
  let seen: unknown
  while (seen !== next) seen = (await events.next()).value?.task
  expect(seen).toBe(next)
})
