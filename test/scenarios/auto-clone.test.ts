/** An agent's repository is cloned if it does not exist yet. */

import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findDaemon } from "../../src/api/client/daemon-address.ts"
import { exchange } from "../../src/api/client/http.ts"
import { stateDir } from "../../src/api/client/state-dir.ts"
import { CreatedDocument } from "../../src/api/wire/requests.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { parseConfig } from "../../src/config/parse.ts"
import { ensureCloned } from "../../src/features/clone/ensure-cloned.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { type Db, openDb } from "../../src/kernel/store/open.ts"
import { addTrash } from "../../src/kernel/workspaces/rows/trash.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const events = (db: Db) => listEvents(db, { after: 0, limit: 100 })

/** A home without any repository, and the place of its only agent's working directory. */
function cloning(repo: TestRepo, url: string) {
  const text = JSON.stringify({
    version: 1,
    agents: { a: { working_directory: { root: "work/app", auto_clone: url, clone_depth: 1 } } },
  })
  const parsed = parseConfig(text, {}, "home")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  const home = join(repo.folder, "home")
  mkdirSync(home)
  const db = openDb(":memory:")
  const world = { nowMs: () => 1000, dice: Math.random, point: () => {} }
  const app = parsed.config.repos.find(({ name }) => name === "app")
  if (!app) throw new Error("the working directory is a repository")
  const { signal: ending } = new AbortController()
  const clone = () => ensureCloned({ home, db, world, ending }, app)
  return { home, db, clone, path: join(home, "work/app") }
}

test("a task's repository is cloned, worked in and landed on its default branch [25.10]", async () => {
  await using fleet = new Fleet()
  using origin = new TestRepo({ branch: "dev" })
  origin.commit({ "a.txt": "a\n" })
  const directory = { root: "../clones/app", default_branch: "dev", clone_depth: 1 }
  const url = `file://${origin.clone("origin.git", "--bare")}`
  fleet.configure({ sh: { working_directory: { ...directory, auto_clone: url } } })
  const task = await fleet.json(TaskDocument, ["run", "cat a.txt > b.txt"])
  const path = join(fleet.repo.folder, "clones/app")
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(task.repos).toMatchObject([{ name: "app-2", path, target: "dev" }])
  expect(fleet.repo.gitIn(path, "show", "dev:b.txt")).toBe("a")
  expect(fleet.repo.gitIn(path, "status", "--porcelain")).toBe("")
  expect(readdirSync(join(fleet.repo.folder, "clones")).sort()).toEqual(["app", "app-2.worktrees"])
  const again = await fleet.json(TaskDocument, ["run", "echo 2 > b.txt"])
  expect(again, "it is there now").toMatchObject({ state: "complete", repos: [{ path }] })
})

test("a clone that was cut off is made again; simultaneous requests get the same one", async () => {
  using repo = new TestRepo()
  const it = cloning(repo, repo.path)
  const [left, persons] = ["work/app.coppice-clone-1234", "work/app.coppice-clone-5678"]
  for (const name of [left, persons]) mkdirSync(join(it.home, name, ".git"), { recursive: true })
  addTrash(it.db, { path: join(it.home, left), repo: it.path })
  await it.clone()
  expect(readdirSync(join(it.home, "work")), "a name alone proves nothing").toEqual([
    ...["app", "app.coppice-clone-5678"],
  ])
  repo.git("-C", it.path, "checkout", "--quiet", "-b", "mine")
  await it.clone()
  expect(repo.gitIn(it.path, "branch", "--show-current"), "never cloned again").toBe("mine")
  expect(events(it.db).map(({ type }) => type)).toEqual(["repo.cloned"])

  using other = new TestRepo()
  const second = cloning(other, other.path)
  await Promise.all([second.clone(), second.clone(), second.clone()])
  expect(events(second.db)).toHaveLength(1)
})

test("nothing that exists is overwritten by a clone [25.10]", async () => {
  using repo = new TestRepo()
  const it = cloning(repo, repo.path)
  mkdirSync(it.path, { recursive: true })
  await it.clone() // an empty folder is as good as none
  using other = new TestRepo()
  const second = cloning(other, other.path)
  mkdirSync(second.path, { recursive: true })
  writeFileSync(join(second.path, "mine.txt"), "mine")
  await expect(second.clone()).rejects.toMatchObject({ code: "repo.path_taken", blame: "user" })
  expect(readFileSync(join(second.path, "mine.txt"), "utf8")).toBe("mine")
  expect(readdirSync(join(second.home, "work"))).toEqual(["app"])
})

test("an unreachable remote is an error without its password, and leaves nothing [25.10]", async () => {
  using repo = new TestRepo()
  const it = cloning(repo, "https://me:s3cret@127.0.0.1:1/r.git")
  const error = await it.clone().catch((error: unknown) => error)
  expect(error).toMatchObject({ code: "repo.clone_failed", transient: true, blame: "world" })
  expect(String(error)).toContain("127.0.0.1")
  expect(JSON.stringify([String(error), events(it.db)])).not.toContain("s3cret")
  expect(readdirSync(join(it.home, "work"))).toEqual([])
})

/** A remote that serves files, once the test lets it. */
async function slowRemote(folder: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const path = join(folder, (request.url ?? "/").replace(/\?.*/, ""))
    void released.then(() => {
      if (existsSync(path)) response.end(readFileSync(path))
      else response.writeHead(404).end()
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, release }
}

/** A command, as soon as it has said that it has to wait. */
async function waitingCommand({ repo, env }: Fleet, ...args: string[]) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: repo.path, env })
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = once(child, "exit")
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)))
  await waitFor("the wait", () => said.includes("still working on this"))
  return { child, ended }
}

test("a clone that takes long is followed; a request that is given up and repeated makes one task [35.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  using origin = new TestRepo()
  const bare = origin.clone("origin.git", "--bare")
  origin.gitIn(bare, "update-server-info")
  const remote = await slowRemote(origin.folder)
  const auto_clone = `${remote.url}/origin.git`
  fleet.configure({ sh: { working_directory: { root: "../clones/app", auto_clone } } })
  await fleet.coppice("ls")
  const command = ["run", "echo w > work.txt"]
  const first = await waitingCommand(fleet, ...command)
  first.child.kill("SIGKILL")
  await first.ended
  const second = await waitingCommand(fleet, ...command)
  remote.release()
  expect(await second.ended).toEqual([0, null])
  expect((await fleet.client.list()).tasks).toMatchObject([{ id: "1", state: "complete" }])
})

test("a clone under way ends with its daemon, and leaves nothing [25.10]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const remote = await slowRemote(fleet.repo.folder)
  const auto_clone = `${remote.url}/origin.git`
  fleet.configure({ sh: { working_directory: { root: "../clones/app", auto_clone } } })
  await fleet.coppice("ls")
  const { child, ended } = await waitingCommand(fleet, "run", "true")
  child.kill("SIGKILL") // the command would go on with the next daemon
  await ended
  const clones = join(fleet.repo.folder, "clones")
  expect(readdirSync(clones)).toHaveLength(1)
  await fleet.coppice("down")
  expect(execFileSync("ps", ["-A", "-o", "args"]).toString()).not.toContain(auto_clone)
  expect(readdirSync(clones)).toEqual([])
})

test("a request for a task that is repeated to the next daemon makes no second task [35.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const ask = async () => {
    await fleet.client.up()
    const daemon = findDaemon(stateDir(fleet.repo.path, fleet.env))
    if (!daemon) throw new Error("a daemon runs")
    const request = {
      method: "POST",
      path: "/tasks",
      body: { prompt: "true" },
      key: "once",
    } as const
    const answer = await exchange(daemon, request)
    return answer.kind === "answered" && CreatedDocument.parse(answer.body).task.id
  }
  expect(await ask()).toBe("1")
  await fleet.client.down()
  expect(await ask()).toBe("1")
})
