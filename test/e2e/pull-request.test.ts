/** Work that lands by a pull request, from the command line to the merge by the forge. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { review } from "../support/forge/pulls.ts"
import { GitHubServer } from "../support/github-server.ts"
import { waitFor } from "../support/wait-for.ts"

const TOKEN = "token-of-robot"

async function start(sh: FleetConfig["sh"] = {}) {
  const server = await GitHubServer.start()
  const fleet = new Fleet()
  fleet.extra["GH_BOT_TOKEN"] = TOKEN
  const origin = fleet.repo.addOrigin()
  server.state.pulls.remote = origin
  server.state.members.add("ada")
  const at = { type: "github", project: "acme/demo", api_url: server.url }
  const forge = { ...at, token_variable: "GH_BOT_TOKEN", poll: "1s" }
  fleet.configure({ repo: { gate: false, forge }, sh: { landing: { mode: "pr" }, ...sh } })
  fleet.repo.git("push", "--quiet", "origin", "main")
  const { pulls } = server.state
  const pull = () => pulls.all[0]!
  const end = async () => {
    await fleet[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { server, fleet, pulls, pull, [Symbol.asyncDispose]: end }
}

test("a pull request is opened, reviewed, improved by its agent, approved, merged, and cleaned up [42.7, 42.9]", async () => {
  await using world = await start()
  const { fleet, server, pulls, pull } = world
  fleet.step(2, `cat > "$STEPS/prompt"; env > "$STEPS/env"; echo please > work.txt`)
  const id = await fleet.start("echo work > work.txt", "--title", "Add work")
  const open = await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  const head = open.pullRequests[0]?.head
  expect(open.pullRequests).toMatchObject([{ repo: "app", number: 1, state: "open" }])
  expect(pulls.tip(pull().head)).toBe(head)
  expect(pull()).toMatchObject({ title: "Add work", base: "main" })
  const { url } = open.pullRequests[0]!
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toContain(`its pull request: ${url} (no approval yet, no checks)`)
  expect((await fleet.coppice("show", id)).stdout).toContain(url)
  const { worktree } = open.repos[0]!

  review(server.state, pull(), "CHANGES_REQUESTED", { body: "Say please." })
  const again = await fleet.until(id, ({ pullRequests: [one] }) => one?.head !== head)
  expect(readFileSync(join(fleet.steps, "prompt"), "utf8")).toContain("```\nSay please.\n```")
  expect(readFileSync(join(fleet.steps, "env"), "utf8")).not.toContain(TOKEN)
  expect(again).toMatchObject({ landing: { handbacks: 1 }, usage: { turns: 2 } })
  expect(again.jobs.flatMap(({ sessions }) => sessions)).toEqual([open.sessionId])

  await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  pulls.runs.push({
    name: "ci",
    commit: pulls.tip(pull().head),
    conclusion: "success",
    summary: "",
  })
  review(server.state, pull(), "APPROVED")
  const ready = await fleet.until(id, ({ state }) => state === "pr_ready")
  expect(ready.pullRequests).toMatchObject([{ review: "approved", checks: "passed" }])
  expect(await fleet.coppice("watch", id)).toMatchObject({ code: 0 })

  const main = fleet.repo.tip("main")
  pulls.merge(pull(), "squash")
  const done = await fleet.until(id, ({ state }) => state === "complete")
  expect(done).toMatchObject({
    landing: { outcome: "LANDED" },
    pullRequests: [{ state: "merged" }],
  })
  expect(pulls.git("show", "main:work.txt")).toBe("please")
  expect(existsSync(worktree!)).toBe(false)
  expect(fleet.repo.tip("main")).toBe(main)
  expect(await fleet.coppice("undo", id, "--yes")).toMatchObject({ stderr: /the forge merged it/ })
})

test("`run` shows the address of the pull request, and what became of it [3.8]", async () => {
  await using world = await start()
  const { fleet, server, pulls, pull } = world
  const running = fleet.coppice("run", "echo work > work.txt")
  await waitFor("the pull request", () => pulls.all.length > 0)
  await fleet.until("1", ({ state }) => state === "reviews_in_progress")
  review(server.state, pull(), "APPROVED")
  const ready = await running
  const { url } = (await fleet.client.show("1")).pullRequests[0]!
  const told = [
    "lands +by a pull request, when the forge merges it",
    "pushing its branch",
    `its pull request is open\n +${url}`,
    "its pull request can be merged",
    `pull request +${url}: approved, no checks`,
    "Next step: a person merges it",
  ]
  expect(ready).toMatchObject({ code: 0, stdout: new RegExp(told.join("[^]*")) })

  const other = fleet.coppice("run", "echo more > more.txt")
  await waitFor("the second one", () => pulls.all.length > 1)
  pulls.merge(pulls.all[1]!, "squash")
  const { stdout } = await other
  expect(stdout).toMatch(/complete: its pull request is merged[^]*pull request +\S+pull\/2: merged/)
})

test("a daemon that is killed while a pull request is open follows it again [42.2]", async () => {
  await using world = await start({ pull_request: { auto_merge: "squash" } })
  const { fleet, server, pull } = world
  const id = await fleet.start("echo work > work.txt")
  await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  await fleet.kill()
  review(server.state, pull(), "APPROVED")
  const done = await fleet.until(id, ({ state }) => state === "complete")
  expect(done).toMatchObject({ landing: { outcome: "LANDED" } })
  expect(world.pulls.all).toHaveLength(1)
})

test("a push that the remote refuses stops the task, and restart pushes the same work [42.5]", async () => {
  await using world = await start({ workspace: { on_push_failure: "fail" } })
  const { fleet, pulls } = world
  pulls.refusePushes("this branch is protected")
  const run = await fleet.coppice("run", "echo work > work.txt")
  expect(run).toMatchObject({ code: 1, stdout: /this branch is protected/ })
  const stuck = await fleet.json(TaskDocument, ["show", "1"])
  expect(stuck).toMatchObject({ state: "stuck", attention: true, reason: { code: "push_failed" } })
  pulls.takePushes()
  await fleet.json(TaskDocument, ["restart", "-d", "1"])
  const open = await fleet.until("1", ({ state }) => state === "reviews_in_progress")
  expect(open).toMatchObject({ usage: { turns: 1 }, pullRequests: [{ number: 1 }] })
})

test("a refused push is tried again, says so, and arrives once the remote takes it [42.5]", async () => {
  await using world = await start()
  const { fleet, pulls } = world
  pulls.refusePushes("a freeze until noon")
  const id = await fleet.start("echo work > work.txt")
  await fleet.until(id, ({ landing }) => landing?.outcome === "PUSH_FAILED")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toMatch(/^its next push, after \d that failed: .*a freeze until noon/)
  expect(why.unblock).toMatch(/^it is tried again at \S+; `coppice land 1` tries at once$/)
  pulls.takePushes()
  const open = await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  expect(open).toMatchObject({ usage: { turns: 1 }, pullRequests: [{ number: 1 }] })
})

test("a paused pull request is followed no more, and its task can be cancelled while it stays open", async () => {
  await using world = await start()
  const { fleet, pull } = world
  const id = await fleet.start("echo work > work.txt")
  await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  await fleet.json(TaskDocument, ["pause", id])
  const resumed = await fleet.json(TaskDocument, ["resume", "-d", id])
  expect(resumed.state).toBe("reviews_in_progress")
  await fleet.until(id, ({ landing }) => landing?.state === "proposed")
  await fleet.json(TaskDocument, ["cancel", id])
  expect(pull().state).toBe("open")
})

test("a task on another one proposes only its own commits, and follows the other to the target [42.18, 42.19]", async () => {
  await using world = await start({ pull_request: { delete_branch: true } })
  const { fleet, pulls } = world
  const lower = await fleet.start("echo work > work.txt")
  const upper = await fleet.start("test -e work.txt && echo more > more.txt", "--on", lower)
  await fleet.until(upper, ({ state }) => state === "reviews_in_progress")
  const [below, above] = [pulls.all[0]!, pulls.all[1]!]
  expect(above.base).toBe(below.head)
  pulls.merge(below, "squash")
  await fleet.until(lower, ({ state }) => state === "complete")
  await fleet.until(upper, ({ landing }) => landing?.state === "proposed" && above.base === "main")
  await fleet.until(upper, () => pulls.git("log", "--format=%h", `main..${above.head}`).length < 20)
  pulls.merge(above, "squash")
  expect(await fleet.until(upper, ({ state }) => state === "complete")).toMatchObject({ on: lower })
  expect(pulls.git("ls-tree", "--name-only", "main").split("\n")).toContain("more.txt")
  expect(pulls.tip(below.head)).toBe("")
})
