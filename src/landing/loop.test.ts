import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../test/support/landing.ts"
import { TestRepo } from "../../test/support/repo.ts"
import { waitFor } from "../../test/support/wait-for.ts"
import type { LandingId } from "../core/ids.ts"
import { readIdentity } from "../process/identity.ts"
import { appendEvent } from "../store/events/append.ts"
import { recordLanding } from "../store/landings/record.ts"
import { landingLoop } from "./loop.ts"

/** Runs the loop around `work`; whatever it could not deal with fails the test. */
async function looping(it: LandingTest, work: () => Promise<void>) {
  const errors: unknown[] = []
  const loop = landingLoop(it.context, (_, error) => errors.push(error))
  loop.start()
  try {
    await work()
  } finally {
    await loop.stop()
  }
  expect(errors).toEqual([])
}
const settles = (it: LandingTest, id: LandingId, state: string) =>
  waitFor(`landing ${id} to be ${state}`, () => it.landing(id).state === state)

test("tasks of one target land by themselves, one on top of the other", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const ids = ["a", "b", "c"].map((branch) => {
    repo.commit({ [branch]: branch }, branch, repo.worktree(branch))
    return it.submit({ branch })
  })
  await looping(it, async () => {
    for (const id of ids) await settles(it, id, "landed")
  })
  expect(it.history().toSorted()).toEqual(["a", "b", "c", "commit"])
  expect(repo.git("rev-list", "--merges", "main")).toBe("")
})

test("a landing that waits lets the next one by, and goes on when its time has come", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const [blocked, free] = ["a", "b"].map((branch) => {
    repo.commit({ [branch]: branch }, branch, repo.worktree(branch))
    return it.submit({ branch })
  })
  repo.write({ a: "mine" })
  await looping(it, async () => {
    await settles(it, free!, "landed")
    await settles(it, blocked!, "waiting")
    expect(it.landing(blocked!).outcome).toBe("DIRTY_MAIN")
    rmSync(join(repo.path, "a"))
    it.nowMs += 2_000
    appendEvent(it.db, { type: "test.time_passed", task: null, data: {} }, it.nowMs)
    await settles(it, blocked!, "landed")
  })
  expect(it.history()).toEqual(["commit", "b", "a"])
})

test("a look that finds the same in the way leaves no trace; whatever changes starts a fresh round", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("a")
  repo.commit({ a: "a", b: "b" }, "A1", worktree)
  const id = it.submit({ branch: "a" })
  repo.write({ a: "mine" })
  const wakes = () => it.trace(id).filter((type) => type === "landing.woken").length
  const look = async () => {
    const { wakeAtMs } = it.landing(id)
    it.nowMs = wakeAtMs!
    appendEvent(it.db, { type: "test.time_passed", task: null, data: {} }, it.nowMs)
    await waitFor("the look", () => it.landing(id).wakeAtMs !== wakeAtMs)
    await it.context.taskLock.hold(it.task(id).id, async () => {})
  }
  await looping(it, async () => {
    await settles(it, id, "waiting")
    const { sinceMs } = it.landing(id)
    const told = it.trace(id).length
    for (let n = 0; n < 3; n++) await look()
    expect(it.trace(id)).toHaveLength(told)
    expect(it.landing(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN", sinceMs })

    const changes = [
      () => repo.write({ b: "mine too" }), // something else is in the way
      () => repo.git("commit", "--quiet", "--allow-empty", "-m", "other"), // the target moves
      () => repo.commit({ late: "1" }, "late", worktree), // so does the work
      () => repo.write({ loose: "1" }, worktree),
    ]
    for (const [n, change] of changes.entries()) {
      change()
      await look()
      await waitFor(`round ${n + 1}`, () => wakes() === n + 1)
      await settles(it, id, "waiting")
    }
    expect(it.landing(id).details).toEqual({ paths: ["a", "b"] })
    for (const path of ["a", "b"]) rmSync(join(repo.path, path))
    await look()
    await settles(it, id, "landed")
  })
})

test("a landing that is cancelled in its gate ends the gate, and moves nothing", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "echo $$ > pid.log; sleep 60" })
  repo.commit({ ".gitignore": "*.log" }, "M0")
  const worktree = repo.worktree("a")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "a" })
  const pidFile = join(worktree, "pid.log")
  await looping(it, async () => {
    await waitFor(
      "the gate to run",
      () => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "",
    )
    recordLanding(it.db, it.landing(id), { event: "cancelled" }, it.nowMs)
    const pid = Number(readFileSync(pidFile, "utf8"))
    await waitFor("the gate to end", () => readIdentity(pid) === undefined)
  })
  expect([it.landing(id).state, it.history()]).toEqual(["cancelled", ["commit", "M0"]])
})
