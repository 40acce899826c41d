import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Crash, LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { clearDeadLocks } from "../../workspaces/locks/dead-locks.ts"

// A hold ends only when a test says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A person or script that commits to the target at every point that a landing passes, if git lets it. */
class RestlessTarget implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly it: LandingTest
  readonly id: ReturnType<LandingTest["submit"]>
  /** Subjects of the commits that git took. */
  readonly mine: string[] = []
  refused = 0

  constructor(options: LandingTestOptions = {}) {
    this.it = new LandingTest(this.repo, options)
    this.repo.commit({ "a.txt": "a" }, "A1", this.repo.worktree("feat"))
    this.id = this.it.submit({ branch: "feat" })
    this.it.onPoint = (name) => this.onPoint(name)
  }

  onPoint(name: string): void {
    if (/^(preparing|syncing|gating|publishing):/.test(name)) this.commit()
  }

  commit(): void {
    const name = `m${this.mine.length + this.refused}`
    try {
      this.repo.commit({ [`${name}.txt`]: "m" }, name)
      this.mine.push(name)
    } catch {
      this.refused++
    }
  }

  get lock(): string {
    return join(this.repo.path, ".git/index.lock")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("after two lost races the checkout is held, so work lands on a target that never rests [17.17]", async () => {
  await using world = new RestlessTarget()
  const { it, id, repo, mine } = world
  expect(await it.run(id)).toMatchObject({ state: "landed", attempts: 0 })
  expect([it.landing(id).races, mine.length > 0, world.refused > 0]).toEqual([2, true, true])
  const history = it.history()
  expect(history.filter((subject) => subject !== "A1").slice(1)).toEqual(mine)
  expect([existsSync(world.lock), repo.git("status", "--porcelain", "-uno")]).toEqual([
    false,
    expect.not.stringMatching(/a\.txt/),
  ])
})

test("a gate never runs under the hold, and the wait names who moves the target [17.18]", async () => {
  await using world = new RestlessTarget({ gate: "true" })
  const { it, id } = world
  const isHeld: boolean[] = []
  world.onPoint = (name) => {
    if (name === "gating: before") isHeld.push(existsSync(world.lock))
    if (name === "gating: put back" && it.landing(id).races < 3) world.commit()
    if (name === "gating: put back" && it.landing(id).races === 3)
      expect(it.landing(id).reason).toBe(
        "main moved 3 times while the landing was under way, the last time by c <c@example.com> (commit: m2)",
      )
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", races: 3, reason: null })
  expect(isHeld).toEqual([false, false, false, false])
})

test("a hold ends after 80 ms, and the landing goes on without it [17.17]", async () => {
  await using world = new RestlessTarget()
  const { it, id, mine } = world
  world.onPoint = (name) => {
    if (name === "publishing: looked" && it.landing(id).races < 2) world.commit()
    if (name !== "preparing: done, not recorded" || it.landing(id).races !== 2) return
    vi.advanceTimersByTime(79)
    expect(existsSync(world.lock)).toBe(true)
    vi.advanceTimersByTime(1)
    world.commit()
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", races: 3 })
  expect([mine, world.refused]).toEqual([["m0", "m1", "m2"], 0])
})

test("a hold that a crash left names a dead owner, so it is removed, and the work lands [17.17]", async () => {
  await using world = new RestlessTarget()
  const { it, id } = world
  world.onPoint = (name) => {
    if (name === "publishing: looked" && it.landing(id).races < 2) world.commit()
    if (name === "preparing: before" && it.landing(id).races === 2) {
      expect(existsSync(world.lock)).toBe(true)
      world.onPoint = () => {}
      throw new Crash()
    }
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", races: 2 })
  expect([existsSync(world.lock), await clearDeadLocks(it.path)]).toEqual([false, []])
})
