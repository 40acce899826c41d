import { once } from "node:events"
import { createServer } from "node:net"
import fc from "fast-check"
import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { type PortBlock, portBlocks } from "../../core/ports.ts"
import { openDb } from "../../store/open.ts"
import { listPorts } from "../../store/ports/list.ts"
import { recordRemoved } from "../../store/task-repos/record-removed.ts"
import { leaseBlock, listBusy } from "./lease-block.ts"

/** Tests may run side by side, and look at the same ports. */
const HOME = `/state/app-${process.pid}`
const PORTS = (block: PortBlock | undefined) =>
  Array.from({ length: block?.count ?? 0 }, (_, at) => block!.first + at)

async function listening(port: number, host: string) {
  const server = createServer().listen(port, host)
  await once(server, "listening")
  return { [Symbol.dispose]: () => void server.close() }
}

test("a home's blocks never overlap, are below what the system hands out, and begin at its own place", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 100 }), (home, count) => {
      const ports = [...portBlocks(home, count)].flatMap(PORTS)
      expect(new Set(ports).size).toBe(ports.length)
      expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000)
      expect(Math.max(...ports)).toBeLessThan(32_768)
    }),
    { numRuns: 20 },
  )
  const starts = ["/a", "/b", "/c"].map((home) => [...portBlocks(home, 10)][0]?.first)
  expect(new Set(starts).size).toBe(3)
})

test("no two tasks have a port in common, also when all ask at once for blocks of their own sizes", async () => {
  const db = openDb(":memory:")
  const wanted = [10, 3, 10, 25, 1, 10].map((count) => ({ task: addSampleTask(db).id, count }))
  const lease = ({ task, count }: (typeof wanted)[number]) =>
    leaseBlock(db, { home: HOME, task, name: "app", count })
  const blocks = await Promise.all(wanted.map(lease))
  expect(blocks.map((block) => block?.count)).toEqual([10, 3, 10, 25, 1, 10])
  const ports = blocks.flatMap(PORTS)
  expect(new Set(ports).size).toBe(ports.length)
  expect(await lease(wanted[0]!)).toEqual(blocks[0]) // as often as it is asked
})

test("a task keeps its block until its worktree is gone, and a block of none is none", async () => {
  const db = openDb(":memory:")
  const [task, other] = [addSampleTask(db).id, addSampleTask(db).id]
  const wanted = { home: HOME, task, name: "app", count: 10 }
  const block = await leaseBlock(db, wanted)
  expect(await leaseBlock(db, { ...wanted, count: 0 })).toEqual(block) // it was told of these
  recordRemoved(db, { task, name: "app" })
  expect(listPorts(db, task).size).toBe(0)
  expect(await leaseBlock(db, { ...wanted, task: other })).toEqual(block)
  expect(await leaseBlock(db, { ...wanted, count: 0 })).toBeUndefined()
})

test("the ports of work that is over and has no worktree are given away again", async () => {
  const db = openDb(":memory:")
  const [task, other] = [addSampleTask(db).id, addSampleTask(db).id]
  const wanted = { home: HOME, task, name: "app", count: 10 }
  const block = await leaseBlock(db, wanted)
  expect(await leaseBlock(db, { ...wanted, task: other })).not.toEqual(block)
  forceState(db, task, "complete")
  expect(await leaseBlock(db, { ...wanted, task: addSampleTask(db).id })).toEqual(block)
  expect(listPorts(db, task).size).toBe(0)
})

test("what something on the machine listens on is passed over, whatever its address", async () => {
  const db = openDb(":memory:")
  const blocks = [...portBlocks(HOME, 10)]
  using _one = await listening(blocks[0]!.first + 4, "127.0.0.1")
  using _all = await listening(blocks[1]!.first + 9, "0.0.0.0")
  const task = addSampleTask(db).id
  const block = await leaseBlock(db, { home: HOME, task, name: "app", count: 10 })
  expect(blocks.slice(2)).toContainEqual(block)
  expect(await listBusy(blocks[0]!)).toEqual([blocks[0]!.first + 4])
})
