import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposableSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../../test/support/store.ts"
import { type Db, openDb } from "../../store/open.ts"
import { recordRemoved } from "../../tasks/rows/task-repos/removal.ts"
import { listPorts } from "../rows/ports.ts"
import { type PortBlock, portBlocks } from "../rules/ports.ts"
import { leaseBlock, listBusy } from "./lease-block.ts"

/** Tests may run in parallel, and probe the same ports. */
const HOME = `/state/app-${process.pid}`
const MACHINE = mkdtempSync(join(tmpdir(), "coppice-machine-"))
afterAll(() => rmSync(MACHINE, { recursive: true }))
const AT = { home: HOME, machine: MACHINE }
const FILE = join(MACHINE, "ports.json")
const rename = (from: string, to: string) =>
  writeFileSync(FILE, readFileSync(FILE, "utf8").replaceAll(from, to))
const PORTS = (block: PortBlock | undefined) =>
  Array.from({ length: block?.count ?? 0 }, (_, at) => block!.first + at)

async function listening(port: number, host: string) {
  const server = createServer().listen(port, host)
  await once(server, "listening")
  return { [Symbol.dispose]: () => void server.close() }
}

test("a home's blocks never overlap, are below the system's own range, and begin at its own place [29.3]", () => {
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

test("no two tasks have a port in common, even if all ask at once for blocks of their own sizes [29.3]", async () => {
  const db = openDb(":memory:")
  const wanted = [10, 3, 10, 25, 1, 10].map((count) => ({ task: addSampleTask(db).id, count }))
  const lease = ({ task, count }: (typeof wanted)[number]) =>
    leaseBlock(db, { ...AT, task, name: "app", count })
  const blocks = await Promise.all(wanted.map(lease))
  expect(blocks.map((block) => block?.count)).toEqual([10, 3, 10, 25, 1, 10])
  const ports = blocks.flatMap(PORTS)
  expect(new Set(ports).size).toBe(ports.length)
  expect(await lease(wanted[0]!)).toEqual(blocks[0]) // however often we ask
})

test("a task keeps its block until its worktree is gone, and asking for none gives none [29.3]", async () => {
  const db = openDb(":memory:")
  const [task, other] = [addSampleTask(db).id, addSampleTask(db).id]
  const wanted = { ...AT, task, name: "app", count: 10 }
  const block = await leaseBlock(db, wanted)
  expect(await leaseBlock(db, { ...wanted, count: 0 })).toEqual(block) // the task has these already
  recordRemoved(db, { task, name: "app" })
  expect(listPorts(db, task).size).toBe(0)
  expect(await leaseBlock(db, { ...wanted, task: other })).toEqual(block)
  expect(await leaseBlock(db, { ...wanted, count: 0 })).toBeUndefined()
})

test("the ports of finished work without a worktree are leased again [29.3]", async () => {
  const db = openDb(":memory:")
  const [task, other] = [addSampleTask(db).id, addSampleTask(db).id]
  const wanted = { ...AT, task, name: "app", count: 10 }
  const block = await leaseBlock(db, wanted)
  expect(await leaseBlock(db, { ...wanted, task: other })).not.toEqual(block)
  forceState(db, task, "complete")
  expect(await leaseBlock(db, { ...wanted, task: addSampleTask(db).id })).toEqual(block)
  expect(listPorts(db, task).size).toBe(0)
})

test("a port in use on the machine is skipped, whatever its address [29.3]", async () => {
  const db = openDb(":memory:")
  const blocks = [...portBlocks(HOME, 10)]
  using _one = await listening(blocks[0]!.first + 4, "127.0.0.1")
  using _all = await listening(blocks[1]!.first + 9, "0.0.0.0")
  const task = addSampleTask(db).id
  const block = await leaseBlock(db, { ...AT, task, name: "app", count: 10 })
  expect(blocks.slice(2)).toContainEqual(block)
  expect(await listBusy(blocks[0]!)).toEqual([blocks[0]!.first + 4])
})

test("no two homes of a machine have a port in common while both run, whatever the sizes of their blocks [29.3]", async () => {
  const [one, other] = [openDb(":memory:"), openDb(":memory:")]
  const lease = (db: Db, home: string, count: number) => {
    const { id: task } = addSampleTask(db)
    return leaseBlock(db, { home, machine: MACHINE, task, name: "app", count })
  }
  const wanted = { ...AT, task: addSampleTask(one).id, name: "app", count: 10 }
  const first = await leaseBlock(one, wanted)
  const taken = [first, await lease(one, HOME, 7)]
  // The blocks of another home, which asks for the same places.
  rename(HOME, "/state/other")
  taken.push(await lease(other, HOME, 10), await lease(other, HOME, 3))
  const ports = taken.flatMap(PORTS)
  expect(new Set(ports).size).toBe(ports.length)
})

test("a dead home's ports are free; if it runs again without its block, it gets another [29.3]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-store-"))
  const path = join(folder.path, "coppice.db")
  const [one, other] = [openDb(path), openDb(":memory:")]
  const wanted = (db: Db) => ({ ...AT, task: addSampleTask(db).id, name: "app", count: 10 })
  rmSync(FILE, { force: true })
  const mine = wanted(one)
  const block = await leaseBlock(one, mine)
  const { pid } = spawnSync("true")
  const file = JSON.parse(readFileSync(FILE, "utf8"))
  writeFileSync(FILE, JSON.stringify({ "/state/dead": { ...file[HOME], pid } }))
  const theirs = wanted(other)
  expect(await leaseBlock(other, theirs)).toEqual(block)

  rename(HOME, "/state/other")
  expect(await leaseBlock(one, mine), "it has been reported").toEqual(block)
  one.close()
  const again = openDb(path)
  const next = await leaseBlock(again, mine)
  expect(next).not.toEqual(block)
  expect(listPorts(again, mine.task).get("app")).toEqual(next)
  again.close()
})

test.each(["null", "[1]", '{"/state/x":null}', '{"/state/x":{"pid":1,"blocks":7}}', '{"/state/x'])(
  "an unreadable file does not stop the leasing of ports: %s",
  async (text) => {
    writeFileSync(FILE, text)
    const wanted = { ...AT, name: "app", count: 10 }
    const db = openDb(":memory:")
    expect(await leaseBlock(db, { ...wanted, task: addSampleTask(db).id })).toBeDefined()
    expect(Object.keys(JSON.parse(readFileSync(FILE, "utf8")))).toEqual([HOME])
  },
)
