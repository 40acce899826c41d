import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, beforeEach, expect, test } from "vitest"
import { DaemonDouble, taskDocument } from "../../test/support/daemon-double.ts"
import { TestRepo } from "../../test/support/repo.ts"
import { isAlive } from "./alive.ts"
import type { Client } from "./client.ts"
import { connect } from "./connect.ts"
import { findDaemon, writeDaemonAddress } from "./daemon-address.ts"

let repo: TestRepo
let daemon: DaemonDouble
let client: Client

beforeEach(async () => {
  repo = new TestRepo()
  daemon = await new DaemonDouble().start(repo.path)
  client = connect({ cwd: repo.path, env: { COPPICE_STATE: daemon.stateRoot } })
})

afterEach(async () => {
  await daemon[Symbol.asyncDispose]()
  repo[Symbol.dispose]()
})

test("asks the daemon that the state directory names", async () => {
  daemon.tasks.push(taskDocument("1", "One"))
  expect(client.home).toBe(repo.path)
  expect(await client.list()).toEqual({ tasks: [expect.objectContaining({ title: "One" })] })
  expect(await client.show("1")).toMatchObject({ id: "1" })
  expect(await client.act("1", "cancel")).toMatchObject({ id: "1" })
  expect(daemon.requests).toEqual(["GET /tasks", "GET /tasks/1", "POST /tasks/1/cancel"])
})

test("a task may be named by words that a path could not hold", async () => {
  await expect(client.show("agent/a b?#ü")).rejects.toThrow("There is no task agent/a b?#ü.")
})

test("an error of the daemon arrives as the daemon put it", async () => {
  await expect(client.show("9")).rejects.toMatchObject({
    code: "task.not_found",
    blame: "user",
    message: "There is no task 9.",
    hints: ["coppice ls"],
  })
})

test("status says that no daemon runs, and starts none", async () => {
  await daemon.stop()
  expect(await client.status()).toEqual({
    running: false,
    pid: null,
    address: null,
    home: repo.path,
    version: null,
    uptimeS: null,
    tasks: {},
  })
})

test("a daemon whose port is another program's now counts as gone", async () => {
  const address = { pid: process.pid, token: "of an earlier daemon", version: "0", startedAt: "" }
  await using other = await new DaemonDouble().start(repo.path)
  const known = findDaemon(other.stateDir(repo.path))!
  writeDaemonAddress(daemon.stateDir(repo.path), { ...known, ...address })
  expect(await client.status()).toMatchObject({ running: false })
})

test("down waits until the daemon's process has ended", async () => {
  const slow = `process.on("SIGTERM", () => setTimeout(() => process.exit(), 200))
    setInterval(() => {}, 1000)
    console.log("ready")`
  const child = spawn(process.execPath, ["-e", slow], { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  await daemon.stop()
  await daemon.start(repo.path, child.pid)
  daemon.onDown = () => child.kill()
  expect(await client.down()).toMatchObject({ running: false })
  expect(isAlive(child.pid!)).toBe(false)
})

test("down is content when no daemon runs", async () => {
  await daemon.stop()
  expect(await client.down()).toMatchObject({ running: false })
})
