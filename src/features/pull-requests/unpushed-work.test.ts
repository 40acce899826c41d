/** A task whose newest work cannot be pushed stays with its open pull request, with `on_push_failure: warn`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { review } from "../../../test/support/forge/pulls.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { ShippingTest } from "../../../test/support/shipping.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import { addPullRequest } from "./rows.ts"

/** A pull request that is open, and newer work that the remote refuses. */
async function start() {
  const pullRequest = { autoMerge: "squash" } as const
  const world = await ShippingTest.start({ onPushFailure: "warn", pullRequest })
  const id = world.submit()
  await world.fleet.run(id)
  review(world.server.state, world.pull, "CHANGES_REQUESTED")
  await world.look(id)
  world.pulls.refusePushes("protected branch: ask ops")
  world.again(id, { "work.txt": "please\n" })
  const landing = await world.fleet.run(id)
  const reason = expect.stringContaining("ask ops")
  expect(landing).toMatchObject({ state: "proposed", outcome: "PUSH_FAILED", reason })
  expect(world.fleet.task(id).state).toBe("reviews_in_progress")
  return Object.assign(world, { id })
}

test("an approval does not merge the pull request without the work, which a later push brings [42.29]", async () => {
  await using world = await start()
  const { id } = world
  review(world.server.state, world.pull, "APPROVED")
  await world.look(id)
  expect(world.pull.merge).toBeNull()
  expect(world.row(id).problem).toMatch(/newest work is not pushed: .*ask ops/)
  world.pulls.takePushes()
  review(world.server.state, world.pull, "CHANGES_REQUESTED")
  expect(await world.look(id)).toMatchObject({ state: "handed_back" })
  world.again(id, { "work.txt": "thanks\n" })
  await world.fleet.run(id)
  review(world.server.state, world.pull, "APPROVED")
  expect(await world.look(id)).toMatchObject({ state: "landed" })
  expect(world.pulls.git("show", "main:work.txt")).toBe("thanks")
})

test.each([
  { how: "is merged once approved", state: "landed" },
  { how: "goes back with red checks", state: "handed_back" },
] as const)("work that a person pushes $how [42.29]", async ({ state }) => {
  await using world = await start()
  world.pulls.takePushes()
  world.repo.git("push", "--quiet", "origin", "agent/1")
  const red = { name: "ci", commit: world.pulls.tip("agent/1"), conclusion: "failure" } as const
  if (state === "landed") review(world.server.state, world.pull, "APPROVED")
  else world.pulls.runs.push({ ...red, summary: "" })
  expect(await world.look(world.id)).toMatchObject({ state })
})

test("red checks of older work do not go back while newer work is not pushed [42.29]", async () => {
  await using world = await start()
  const commit = world.pulls.tip("agent/1")
  world.pulls.runs.push({ name: "ci", commit, conclusion: "failure", summary: "" })
  expect(await world.look(world.id)).toMatchObject({ state: "proposed" })
})

test("work that an outage kept back is pushed at a later poll [42.29]", async () => {
  await using world = await start()
  const { id } = world
  world.pulls.takePushes()
  review(world.server.state, world.pull, "CHANGES_REQUESTED")
  await world.look(id)
  world.server.fail({ times: 1, how: { status: 503, body: { message: "down" } } })
  world.again(id, { "work.txt": "thanks\n" })
  const unreached = { state: "proposed", outcome: "FORGE_UNAVAILABLE", attempts: 1 }
  expect(await world.fleet.run(id)).toMatchObject(unreached)
  expect(world.pulls.tip("agent/1")).not.toBe(world.fleet.tip("agent/1"))
  world.fleet.nowMs += 60_000
  expect(await world.look(id)).toMatchObject({ state: "proposed", outcome: null })
  expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("agent/1"))
})

test("a person's merge without the work stops the task [42.29]", async () => {
  await using world = await start()
  world.pulls.merge(world.pull, "squash")
  const outcome = "MERGED_WITHOUT_WORK"
  expect(await world.look(world.id)).toMatchObject({ state: "failed", outcome })
})

test("a pull request that is closed stops the task [42.29]", async () => {
  await using world = await start()
  world.pull.state = "closed"
  const outcome = "PULL_REQUEST_CLOSED"
  expect(await world.look(world.id)).toMatchObject({ state: "failed", outcome })
})

/** `lib` is a second repository of the task, and its remote. */
async function startTwo(lib: TestRepo, remote: string, files: Readonly<Record<string, string>>) {
  const worktree = lib.worktree("agent/1")
  if (Object.keys(files).length > 0) lib.commit(files, "the work", worktree)
  const world = await ShippingTest.start({ onPushFailure: "warn", also: { lib } })
  const id = world.submit()
  const { task } = world.fleet.landing(id)
  const address = hashAddresses({ push: remote, fetch: remote })
  addPullRequest(world.fleet.db, { task, name: "lib", address })
  return Object.assign(world, { id })
}

test("a merge in one repository stops a task whose work in another was never pushed [42.29]", async () => {
  using lib = new TestRepo()
  const remote = lib.addOrigin()
  const hook = "#!/bin/sh\necho ask ops >&2\nexit 1\n"
  writeFileSync(join(remote, "hooks", "pre-receive"), hook, { mode: 0o755 })
  await using world = await startTwo(lib, remote, { "lib.txt": "lib\n" })
  const { id } = world
  expect(await world.fleet.run(id)).toMatchObject({ state: "proposed", outcome: "PUSH_FAILED" })
  world.pulls.merge(world.pull, "squash")
  const reason = expect.stringContaining("ask ops")
  expect(await world.look(id)).toMatchObject({ state: "failed", outcome: "PUSH_FAILED", reason })
})

test("a repository without work holds up no task whose work is merged [42.29]", async () => {
  using lib = new TestRepo()
  const remote = lib.addOrigin()
  await using world = await startTwo(lib, remote, {})
  const { id } = world
  await world.fleet.run(id)
  review(world.server.state, world.pull, "CHANGES_REQUESTED")
  await world.look(id)
  world.pulls.refusePushes("protected branch: ask ops")
  world.again(id, { "work.txt": "please\n" })
  expect(await world.fleet.run(id)).toMatchObject({ state: "proposed", outcome: "PUSH_FAILED" })
  world.pulls.takePushes()
  world.repo.git("push", "--quiet", "origin", "agent/1")
  world.pulls.merge(world.pull, "squash")
  expect(await world.look(id)).toMatchObject({ state: "landed" })
  expect(world.fleet.task(id)).toMatchObject({ state: "complete", reason: null })
})
