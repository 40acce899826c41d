import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, beforeEach, expect, test } from "vitest"
import { DaemonDouble, taskDocument } from "../../../test/support/daemon-double.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { Client } from "./client.ts"
import { connect } from "./connect.ts"
import { findDaemon, writeDaemonAddress } from "./daemon-address.ts"
import { findIdentity, isAlive } from "./process-alive.ts"

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
  expect(await client.listLines()).toMatchObject({ tasks: [{ id: "1" }] })
  expect(await client.show("1")).toMatchObject({ id: "1" })
  expect(await client.act("1", "cancel")).toMatchObject({ id: "1" })
  const asked = ["GET /tasks", "GET /task-lines", "GET /tasks/1", "POST /tasks/1/cancel"]
  expect(daemon.requests).toEqual(asked)
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
    maintenance: null,
    pool: null,
    schedules: null,
    sources: null,
    limits: null,
  })
})

test("a daemon whose port is another program's now counts as gone", async () => {
  const address = { pid: process.pid, token: "of an earlier daemon", version: "0", startedAt: "" }
  await using other = await new DaemonDouble().start(repo.path)
  const known = findDaemon(other.stateDir(repo.path))!
  writeDaemonAddress(daemon.stateDir(repo.path), { ...known, ...address })
  expect(await client.status()).toMatchObject({ running: false })
})

test.runIf(process.platform === "linux")(
  "a dead daemon's pid may be another process's",
  async () => {
    const known = findDaemon(daemon.stateDir(repo.path))!
    const identity = findIdentity(process.ppid)
    writeDaemonAddress(daemon.stateDir(repo.path), { ...known, identity })
    expect(await client.status()).toMatchObject({ running: false })
  },
)

test("a request that a daemon may have carried out before it ended is not repeated", async () => {
  daemon.isCutting = true
  await expect(client.act("1", "pause")).rejects.toMatchObject({
    code: "daemon.gone",
    message: expect.stringContaining("may have carried out"),
    hints: [expect.stringContaining("coppice ls"), expect.any(String)],
  })
  expect(daemon.requests).toEqual(["POST /tasks/1/pause"])
})

test("a request that only reads is repeated with the next daemon, once the last has ended", async () => {
  const last = spawn("sleep", ["60"])
  await once(last, "spawn")
  await daemon.stop()
  await daemon.start(repo.path, last.pid)
  daemon.isCutting = true
  const { COPPICE_TASK: _, COPPICE_PROCESS: __, ...outside } = process.env
  const env = { ...outside, COPPICE_STATE: daemon.stateRoot }
  const asking = connect({ cwd: repo.path, env })
  const listed = asking.list()
  await waitFor("the request to be cut off", () => daemon.requests.length > 0)
  last.kill("SIGKILL")
  expect(await listed).toEqual({ tasks: [] })
  expect(daemon.requests).toEqual(["GET /tasks"])
  expect(await asking.down()).toMatchObject({ running: false })
})

test("a foreign process under the pid of a daemon that has gone is not waited for", async () => {
  const known = findDaemon(daemon.stateDir(repo.path))!
  await daemon.stop()
  writeDaemonAddress(daemon.stateDir(repo.path), { ...known, pid: process.pid })
  const { COPPICE_TASK: _, COPPICE_PROCESS: __, ...outside } = process.env
  const asking = connect({ cwd: repo.path, env: { ...outside, COPPICE_STATE: daemon.stateRoot } })
  expect(await asking.list()).toEqual({ tasks: [] })
  expect(await asking.down()).toMatchObject({ running: false })
})

test("inside a task there is only reading: agents report and do not decide [9.1]", async () => {
  daemon.tasks.push(taskDocument("1", "One"))
  const env = { COPPICE_STATE: daemon.stateRoot, COPPICE_TASK: "1", COPPICE_JOB: "1" }
  const inside = connect({ cwd: repo.path, env })
  const refused = { code: "agent.refused", blame: "user", message: /report and do not decide/ }
  await expect(inside.create({ prompt: "x" })).rejects.toMatchObject(refused)
  for (const action of ["land", "restart", "cancel"] as const)
    await expect(inside.act("1", action)).rejects.toMatchObject(refused)
  await expect(inside.up()).rejects.toMatchObject(refused)
  await expect(inside.down()).rejects.toMatchObject(refused)
  expect(daemon.requests).toEqual([])

  expect(await inside.status()).toMatchObject({ running: true })
  expect(await inside.list()).toMatchObject({ tasks: [{ id: "1" }] })
  expect(await inside.why("1")).toMatchObject({ task: "1" })
  expect(await inside.log("1")).toEqual({ lines: [] })
  await daemon.stop()
  await expect(inside.list()).rejects.toMatchObject(refused) // the list would start the next daemon
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
