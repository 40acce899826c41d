import { expect, test } from "vitest"
import { DaemonDouble } from "../../../test/support/daemon-double.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { EventDocument } from "../wire/events.ts"
import { findDaemon } from "./daemon-address.ts"
import { followStream, type Stream } from "./follow-stream.ts"

function events(daemon: DaemonDouble, stream: Partial<Stream> = {}) {
  const path = (seq: number) => `/events/follow?after=${seq}`
  return followStream<EventDocument>({
    find: () => findDaemon(daemon.stateDir("/nowhere")),
    path,
    after: 0,
    ...stream,
  })
}

async function take(stream: AsyncIterator<EventDocument>, count: number): Promise<number[]> {
  const seen: number[] = []
  while (seen.length < count) seen.push((await stream.next()).value.seq)
  return seen
}

test("gives the items after the cursor, then each new one [35.4]", async () => {
  await using daemon = await new DaemonDouble().start()
  for (let n = 0; n < 3; n++) daemon.happen("task.created", "1")
  const stream = events(daemon, { after: 1 })
  expect(await take(stream, 2)).toEqual([2, 3])
  daemon.happen("task.started", "1")
  expect(await take(stream, 1)).toEqual([4])
  await stream.return()
  await waitFor("the connection to be closed", () => daemon.followers === 0)
})

test("a sign of life is no item [35.4]", async () => {
  await using daemon = await new DaemonDouble().start()
  const stream = events(daemon)
  daemon.happen("task.created", "1")
  expect(await take(stream, 1)).toEqual([1])
  daemon.beat()
  daemon.happen("task.started", "1")
  expect(await take(stream, 1)).toEqual([2])
  await stream.return()
})

test("a broken connection loses nothing and repeats nothing [35.4]", async () => {
  await using daemon = await new DaemonDouble().start()
  const stream = events(daemon)
  for (let round = 0; round < 5; round++) {
    daemon.happen("task.created", "1")
    expect(await take(stream, 1)).toEqual([round * 2 + 1])
    daemon.breakStreams()
    daemon.happen("task.started", "1")
    expect(await take(stream, 1)).toEqual([round * 2 + 2])
  }
  await stream.return()
})

test("a daemon that was started again is found at its new address", async () => {
  await using daemon = await new DaemonDouble().start()
  const stream = events(daemon)
  daemon.happen("task.created", "1")
  expect(await take(stream, 1)).toEqual([1])
  const next = take(stream, 1)
  await daemon.stop()
  daemon.happen("task.started", "1")
  await daemon.start()
  expect(await next).toEqual([2])
  await stream.return()
})

test("a reader that falls far behind is cut off, and misses nothing", async () => {
  await using daemon = await new DaemonDouble().start()
  const stream = events(daemon)
  daemon.happen("task.created", "1")
  expect(await take(stream, 1)).toEqual([1])
  for (let n = 0; n < 12_000; n++) daemon.happen("task.started", "1")
  await waitFor("the connection to be given up", () => daemon.followers === 0)

  const seen = await take(stream, 12_000)
  expect(seen).toEqual(seen.map((_, at) => at + 2))
  await stream.return()
})

test("ends on abort, without an error", async () => {
  await using daemon = await new DaemonDouble().start()
  const told = new AbortController()
  const next = events(daemon, { signal: told.signal }).next()
  await waitFor("a connection", () => daemon.followers === 1)
  told.abort()
  expect(await next).toMatchObject({ done: true })
})

test("gives up when no daemon comes back", async () => {
  await using daemon = await new DaemonDouble().start()
  await daemon.stop()
  const reconnect = { attemptsMax: 3, delayMsMin: 1, delayMsMax: 1 }
  const next = events(daemon, { reconnect }).next()
  await expect(next).rejects.toMatchObject({ code: "daemon.gone" })
})

test("a stream that does not exist fails at once, with the reason", async () => {
  await using daemon = await new DaemonDouble().start()
  const find = () => findDaemon(daemon.stateDir("/nowhere"))
  const stream = followStream({ find, path: () => "/tasks/9/log/follow", after: 0 })
  await expect(stream.next()).rejects.toMatchObject({ code: "task.not_found", blame: "user" })
  expect(daemon.requests).toEqual(["GET /tasks/9/log/follow", "GET /tasks/9/log/follow"])
})
