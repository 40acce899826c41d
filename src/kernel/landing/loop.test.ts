import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { LandingId, TaskId } from "../../base/ids.ts"
import { readIdentity } from "../process/process-identity.ts"
import { appendEvent } from "../store/events.ts"
import { recordTask } from "../tasks/rows/record.ts"
import { landingLoop } from "./loop.ts"
import { recordLanding, resubmitPaused } from "./rows/record.ts"

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

test("tasks of one target land automatically, one on top of the other [17.1]", async () => {
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

test("a task that is resumed while its landing is being taken out of the queue lands [17.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  repo.commit({ a: "a" }, "a", repo.worktree("a"))
  const id = it.submit({ branch: "a" })
  const change = (event: "paused" | "resumed:merging") =>
    recordTask(it.db, it.task(id), { event }, it.nowMs)
  it.onPoint = (point) => {
    if (point === "gating: before" && it.points.indexOf(point) === it.points.length - 1)
      expect(change("paused")).toBe(true)
    if (point !== "gating: halted, not recorded") return
    expect(change("resumed:merging")).toBe(true)
    resubmitPaused(it.db, it.landing(id).task, it.nowMs)
  }
  await looping(it, async () => {
    await settles(it, id, "landed")
  })
  expect(it.points).toContain("gating: halted, not recorded")
  expect(it.task(id).state).toBe("complete")
})

test("a repository that is away for a while fails no landing", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ a: "a" }, "a", repo.worktree("a"))
  const id = it.submit({ branch: "a" })
  const away = `${repo.path}-away`
  const rests: unknown[] = []
  it.onPoint = (point) => {
    if (point === "preparing: before" && rests.length === 0) renameSync(repo.path, away)
  }
  it.onRest = (error) => {
    rests.push(error)
    renameSync(away, repo.path)
  }
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(rests).toMatchObject([{ code: "workspace.repository_gone" }])
})

test("a landing that waits lets the next one by, and goes on when its time has come [17.2]", async () => {
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
    appendEvent(it.db, { type: "maintenance.done", task: null, data: {} }, it.nowMs)
    await settles(it, blocked!, "landed")
  })
  expect(it.history()).toEqual(["commit", "b", "a"])
})

/** Lets the time come to look again, and waits until it has been done. */
async function lookNow(it: LandingTest, id: LandingId): Promise<void> {
  const { wakeAtMs } = it.landing(id)
  it.nowMs = wakeAtMs!
  appendEvent(it.db, { type: "maintenance.done", task: null, data: {} }, it.nowMs)
  await waitFor("the look", () => it.landing(id).wakeAtMs !== wakeAtMs)
  await it.context.taskLock.hold(it.task(id).id, async () => {})
}

const LOCKS = {
  "the user's index": ".git/index.lock",
  "the target": ".git/refs/heads/main.lock",
  "the task's branch": ".git/refs/heads/a.lock",
  "its keep ref": ".git/refs/coppice/1/head.lock",
}
test.each(Object.entries(LOCKS))(
  "looks that find the lock of %s where it was leave no trace; it lands once that is gone",
  async (_, lock) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const worktree = repo.worktree("a")
    repo.write({ a: "left for the snapshot" }, worktree)
    const id = it.submit({ branch: "a" })
    repo.write({ [lock]: "" })
    await looping(it, async () => {
      await settles(it, id, "waiting")
      const { sinceMs } = it.landing(id)
      const told = it.trace(id).length
      for (let n = 0; n < 3; n++) await lookNow(it, id)
      expect(it.trace(id)).toHaveLength(told)
      const details = { paths: [join(repo.path, lock)] }
      expect(it.landing(id)).toMatchObject({
        state: "waiting",
        outcome: "LOCKED",
        sinceMs,
        details,
      })
      repo.write({ [lock]: null })
      await lookNow(it, id)
      await settles(it, id, "landed")
    })
  },
)

test("a landing waits for a git that outlived its daemon, and not for a stale lock [17.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ a: "a" }, "a", repo.worktree("a"))
  const id = it.submit({ branch: "a" })
  const git = spawn("sleep", ["1000"], { stdio: "ignore" })
  await once(git, "spawn")
  const owner = { pid: git.pid!, identity: readIdentity(git.pid!) }
  const lock = join(repo.path, ".git/index.lock")
  writeFileSync(lock, `${JSON.stringify({ coppice: owner })}\n`)
  await looping(it, async () => {
    await settles(it, id, "waiting")
    await lookNow(it, id)
    expect(it.landing(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
    git.kill("SIGKILL")
    await once(git, "exit")
    it.nowMs = it.landing(id).wakeAtMs!
    appendEvent(it.db, { type: "maintenance.done", task: null, data: {} }, it.nowMs)
    await settles(it, id, "landed")
  })
  expect(existsSync(lock)).toBe(false)
})

test("looks that find the target as red as it was leave no trace; it lands once that is mended [17.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "test -f green" })
  repo.commit({ a: "a" }, "A1", repo.worktree("a"))
  const id = it.submit({ branch: "a" })
  await looping(it, async () => {
    await settles(it, id, "waiting")
    const told = it.trace(id).length
    for (let n = 0; n < 3; n++) await lookNow(it, id)
    expect(it.trace(id)).toHaveLength(told)
    expect(it.landing(id)).toMatchObject({ state: "waiting", outcome: "TARGET_RED" })
    repo.commit({ green: "" }, "GREEN")
    await lookNow(it, id)
    await settles(it, id, "landed")
  })
})

test("looks at a worktree in which a sibling has its turn leave no trace [17.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { lockTimeoutMs: 1 })
  const worktree = repo.worktree("a")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "a" })
  const turn = await it.context.taskLock.worktrees.share([worktree], {
    task: 0 as TaskId,
    sinceMs: it.nowMs,
    signal: new AbortController().signal,
  })
  await looping(it, async () => {
    await settles(it, id, "waiting")
    const told = it.trace(id).length
    for (let n = 0; n < 3; n++) await lookNow(it, id)
    expect(it.trace(id)).toHaveLength(told)
    turn.release()
    await lookNow(it, id)
    await settles(it, id, "landed")
  })
})

test("a look that finds the same in the way leaves no trace; whatever changes starts a fresh round [17.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("a")
  repo.commit({ a: "a", b: "b" }, "A1", worktree)
  const id = it.submit({ branch: "a" })
  repo.write({ a: "mine" })
  const wakes = () => it.trace(id).filter((type) => type === "landing.woken").length
  const look = () => lookNow(it, id)
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

test("a landing that is cancelled in its gate ends the gate, and moves nothing [17.1]", async () => {
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
