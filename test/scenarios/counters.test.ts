/** The counters of a landing's tries are recorded: a new start does not begin at 0. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { LandingId } from "../../src/base/ids.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { land } from "../../src/kernel/tasks/actions/land.ts"
import { LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { TestFolder } from "../support/store.ts"

/** A landing on which a new program works at each turn of `go`. */
class ManyStarts implements Disposable {
  readonly repo = new TestRepo()
  readonly #folder = new TestFolder()
  readonly #options: LandingTestOptions

  constructor(options: LandingTestOptions = {}) {
    this.#options = { ...options, dbPath: join(this.#folder.path, "coppice.db") }
    this.repo.commit({ "a.txt": "a\n" }, "A1", this.repo.worktree("a"))
  }

  async go<T>(work: (it: LandingTest) => T | Promise<T>): Promise<T> {
    await using it = new LandingTest(this.repo, this.#options)
    return await work(it)
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]()
    this.#folder[Symbol.dispose]()
  }
}

const counters = ({ state, attempts, races, handbacks }: Landing) => ({
  state,
  attempts,
  races,
  handbacks,
})

test("failed tries, and a new request allows all of them again [12.7]", async () => {
  using starts = new ManyStarts()
  const { repo } = starts
  repo.git("checkout", "--quiet", "-b", "away")
  const inTheWay = join(repo.path, ".git/logs/refs/heads/main")
  rmSync(inTheWay)
  mkdirSync(inTheWay)
  writeFileSync(join(inTheWay, "file"), "")
  const id = await starts.go((it) => it.submit({ branch: "a" }))
  const seen: unknown[] = []
  for (let n = 0; n < 3; n++)
    await starts.go(async (it) => {
      if (n > 0) it.wake(id)
      seen.push(counters(await it.run(id)))
    })
  const none = { races: 0, handbacks: 0 }
  expect(seen).toEqual([
    { state: "waiting", attempts: 1, ...none },
    { state: "waiting", attempts: 2, ...none },
    { state: "failed", attempts: 3, ...none },
  ])
  rmSync(inTheWay, { recursive: true })
  await starts.go(async (it) => {
    land(it.context, it.task(id))
    expect(it.landing(id).attempts).toBe(0)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
  })
})

test("lost races: after five, the landing comes first", async () => {
  using starts = new ManyStarts()
  const { repo } = starts
  const id = await starts.go((it) => it.submit({ branch: "a" }))
  repo.git("switch", "--quiet", "-c", "away") // a target without a checkout is never held
  for (let n = 1; n <= 5; n++)
    await starts.go(async (it) => {
      it.onPoint = (name) => {
        if (name !== "publishing: before") return
        const commit = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", `m${n}`)
        repo.git("update-ref", "refs/heads/main", commit)
      }
      while (it.landing(id).races < n) await it.step(id)
    })
  repo.commit({ "b.txt": "b\n" }, "B1", repo.worktree("b"))
  await starts.go(async (it) => {
    const early = it.submit({ branch: "b" })
    it.db.exec(`update landings set queued_at = 0 where id = ${early}`)
    await it.step(early)
    expect(await it.run(id)).toMatchObject({ state: "landed", races: 5, attempts: 0 })
    expect(it.landing(early).state).toBe("queued")
  })
})

test("hand-backs, of which each counts [13.1, 23.4]", async () => {
  using starts = new ManyStarts({ handbacksMax: 1 })
  const { repo } = starts
  const id = await starts.go((it) => it.submit({ branch: "a" }))
  repo.commit({ "a.txt": "theirs\n" }, "M1")
  const round = (resubmits: boolean) =>
    starts.go(async (it: LandingTest) => {
      if (resubmits) it.resubmit(id as LandingId)
      return counters(await it.run(id))
    })
  const none = { races: 0, attempts: 0 }
  expect(await round(false)).toEqual({ state: "handed_back", handbacks: 1, ...none })
  expect(await round(true)).toEqual({ state: "failed", handbacks: 1, ...none })
})
