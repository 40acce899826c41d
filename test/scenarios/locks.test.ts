/** Scenarios of group W: several who want one worktree at a time. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { taskLines } from "../../src/api/documents/task-lines.ts"
import { whyDocument } from "../../src/api/documents/why-document.ts"
import type { TaskId } from "../../src/base/ids.ts"
import { FEATURES } from "../../src/daemon/features.ts"
import { findTask } from "../../src/kernel/tasks/rows/find.ts"
import { LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const never = new AbortController().signal

class Shared implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly worktree: string
  readonly it: LandingTest

  /** A landing is about to begin; a sibling's agent may be at work in the same worktree. */
  constructor(options: LandingTestOptions = {}) {
    this.it = new LandingTest(this.repo, options)
    this.worktree = this.repo.worktree("feat")
    this.repo.commit({ a: "a" }, "A1", this.worktree)
    this.repo.write({ "half.txt": "half" }, this.worktree)
  }
  /** As a turn does. */
  share() {
    return this.it.context.taskLock.worktrees.share([this.worktree], {
      task: 0 as TaskId,
      sinceMs: this.it.nowMs,
      signal: never,
    })
  }
  status(): string {
    return this.repo.gitIn(this.worktree, "status", "--porcelain")
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("W11: a landing waits for two turns that share its worktree, and no later turn overtakes it [6.1]", async () => {
  await using shared = new Shared()
  const { it, repo } = shared
  const [one, two] = [await shared.share(), await shared.share()]
  const landing = it.run(it.submit({ branch: "feat" }))
  await waitFor("the landing to begin", () => it.points.includes("snapshotting: before"))
  let seen: readonly string[] | undefined
  const later = shared.share().then((lease) => {
    seen = [...it.points]
    return lease
  })
  one.release()
  const { worktrees } = it.context.taskLock
  expect(
    await worktrees.own([shared.worktree], { task: 0 as TaskId, timeoutMs: 500, signal: never }),
  ).toBeUndefined()
  expect([it.points, seen, shared.status()]).toEqual([
    ["snapshotting: before"],
    undefined,
    "?? half.txt",
  ])
  repo.write({ "half.txt": "whole" }, shared.worktree)
  two.release()
  ;(await later).release()
  expect(seen).toContain("snapshotting: committed")
  expect(await landing).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()["half.txt"]).toBe("whole")
})

test("W12: a landing waits for a turn of twenty minutes, and holds nothing while it waits", async () => {
  await using shared = new Shared({ lockTimeoutMs: 1 })
  const { it, repo } = shared
  const turn = await shared.share()
  const id = it.submit({ branch: "feat" })
  const untilMs = it.nowMs + 20 * 60_000
  let landing = await it.run(id)
  for (let tries = 0; tries < 20; tries++) {
    it.nowMs += 60_000
    it.wake(id)
    landing = await it.run(id)
    expect(landing).toMatchObject({ state: "waiting", outcome: "LOCKED", attempts: 0, races: 0 })
  }
  expect([it.nowMs >= untilMs, shared.status()]).toEqual([true, "?? half.txt"])
  expect(landing.reason).toBe(`an agent works in ${shared.worktree}`)
  const other = repo.worktree("other")
  repo.commit({ o: "o" }, "O1", other)
  expect(await it.run(it.submit({ branch: "other" }))).toMatchObject({ state: "landed" })

  repo.write({ "half.txt": "whole" }, shared.worktree)
  turn.release()
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()["half.txt"]).toBe("whole")
})

test("W13: a wait that timed out acquires nothing later, and nothing is left locked [6.1]", async () => {
  await using shared = new Shared({ lockTimeoutMs: 1 })
  const { it } = shared
  const turn = await shared.share()
  const id = it.submit({ branch: "feat" })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  turn.release()
  await new Promise(setImmediate)
  const { worktrees } = it.context.taskLock
  using alone = await worktrees.own([shared.worktree], {
    task: 0 as TaskId,
    timeoutMs: 1,
    signal: never,
  })
  expect(alone).toBeDefined()
  expect([it.landing(id).state, shared.status()]).toEqual(["waiting", "?? half.txt"])
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  expect(readFileSync(join(shared.worktree, "half.txt"), "utf8")).toBe("half")
  alone?.release()
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(existsSync(shared.worktree)).toBe(false)
})

test("a landing that waits for the turn of another task in its worktree names that task", async () => {
  await using shared = new Shared({ lockTimeoutMs: 1 })
  const { it } = shared
  const sibling = it.begin({ branch: "feat" })
  const turn = await shared.share()
  const id = it.submit({ branch: "feat" })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  const fleet = {
    db: it.db,
    findRest: () => null,
    findStep: () => null,
    findBounds: () => [],
    findWait: () => undefined,
    features: FEATURES,
  }
  const { waitingFor, unblock } = whyDocument(fleet, it.task(id))
  expect(waitingFor).toBe(`its next try: the agent of task ${sibling} works in ${shared.worktree}`)
  expect(unblock).toContain("turn ends")
  turn.release()
})

test("a turn that waits for the landing of another task in its worktree says so, since when, and not that a slot is missing [12.1]", async () => {
  await using shared = new Shared()
  const { it } = shared
  const { worktrees } = it.context.taskLock
  const sibling = it.begin({ branch: "feat" })
  const { task } = it.landing(it.submit({ branch: "feat" }))
  const owner = await worktrees.own([shared.worktree], { task, timeoutMs: 500, signal: never })
  const turn = worktrees.share([shared.worktree], { task: sibling, sinceMs: 4, signal: never })
  const findWait = (id: TaskId) => worktrees.findWait(id)
  const fleet = {
    db: it.db,
    findRest: () => null,
    findStep: () => null,
    findBounds: () => [],
    findWait,
    features: FEATURES,
  }
  const why = () => whyDocument(fleet, findTask(it.db, sibling)!)
  expect(why()).toMatchObject({
    waitingFor: `its worktree (${shared.worktree}), which the landing of task ${task} has`,
    since: "1970-01-01T00:00:00.004Z",
    unblock: expect.stringContaining(`coppice why ${task}`),
  })
  const line = () => taskLines(fleet).tasks.find(({ id }) => id === String(sibling))
  expect(line()?.reason?.text).toContain(`the landing of task ${task}`)
  owner?.release()
  ;(await turn).release()
  expect(why().waitingFor).not.toContain("landing")
  expect(line()?.reason).toBeNull()
})

test.each([
  ["a branch", "cleaning: rescued", "feat"],
  ["a keep ref", "cleaning: removed", "refs/coppice/"],
])(
  "%s that git's lock keeps when its landing cleans up goes when the lock is gone [33.5]",
  async (_, point, kept) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
    const lock = join(repo.path, ".git/packed-refs.lock")
    it.onPoint = (name) => {
      if (name === point && rests === 0) writeFileSync(lock, "")
    }
    let rests = 0
    it.onRest = (error) => {
      rests++
      expect(error).toMatchObject({ transient: true, message: expect.stringContaining(kept) })
      rmSync(lock)
    }
    expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({
      state: "landed",
      outcome: "LANDED",
      reason: null,
    })
    expect([rests, repo.git("branch", "--list", "feat"), it.leftRefs()]).toEqual([1, "", []])
  },
  30_000,
)
