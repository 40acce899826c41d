import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { recordLanding } from "../rows/record.ts"

/** A landing of a.txt onto main; `at` is called once, at the point of that name. */
async function land(
  options: LandingTestOptions & { readonly away?: boolean },
  check: (it: LandingTest, id: ReturnType<LandingTest["submit"]>) => Promise<void>,
) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, options)
  repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  if (options.away) repo.git("checkout", "--quiet", "-b", "away")
  await check(it, it.submit({ branch: "feat" }))
}
const once = (it: LandingTest, at: string, act: () => void) => {
  it.onPoint = (name) => {
    if (name !== at) return
    it.onPoint = () => {}
    act()
  }
}

test.each([
  ["preparing: done, not recorded", false],
  ["publishing: before", false],
  ["publishing: looked", false],
  ["publishing: looked", true],
])(
  "FF_NOT_POSSIBLE: the target that moves %s (away: %s) is never overwritten",
  async (at, away) => {
    await land({ away }, async (it, id) => {
      once(it, at, () => {
        if (away) it.repo.git("checkout", "--quiet", "main")
        it.repo.commit({ "theirs.txt": "theirs" }, "THEIRS")
        if (away) it.repo.git("checkout", "--quiet", "away")
      })
      expect(await it.run(id)).toMatchObject({ state: "landed", races: 1, attempts: 0 })
      expect(it.trace(id)).toContain("landing.moved")
      expect(it.history()).toEqual(["commit", "THEIRS", "A1"])
      expect(it.repo.git("status", "--porcelain")).toBe("")
    })
  },
)

test("a user's commit while the target is locked fails cleanly, and loses nothing", async () => {
  await land({}, async (it, id) => {
    let failed = false
    once(it, "advance: files moved", () => {
      it.repo.write({ "mine.txt": "mine" })
      try {
        it.repo.git("add", "mine.txt")
        it.repo.git("commit", "--quiet", "--message", "mine")
      } catch {
        failed = true
      }
    })
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(failed).toBe(true)
    it.repo.git("add", "mine.txt")
    it.repo.git("commit", "--quiet", "--message", "mine")
    expect(it.history()).toEqual(["commit", "A1", "mine"])
    expect(Object.keys(it.files())).toEqual(["README.md", "a.txt", "mine.txt"])
  })
})

test("an edit that comes between look and move is not overwritten: all is as it was, and it waits", async () => {
  await land({}, async (it, id) => {
    once(it, "publishing: looked", () => it.repo.write({ "a.txt": "mine" }))
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
    expect(readFileSync(join(it.path, "a.txt"), "utf8")).toBe("mine")
    expect([it.history(), it.repo.git("status", "--porcelain")]).toEqual([["commit"], "?? a.txt"])
    it.repo.commit({}, "mine")
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "handed_back", outcome: "SQUASH_CONFLICT" })
  })
})

test("a landing that a file blocks has waited since the first look, however often the target moves [12.16]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  repo.write({ "a.txt": "mine" })
  const sinceMs = it.nowMs
  for (const moved of ["m1", "m2", "m3"]) {
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN", sinceMs })
    repo.commit({ [moved]: "m" }, moved, repo.worktree(moved))
    repo.git("merge", "--quiet", moved)
    it.nowMs += 40_000
    it.wake(id)
  }
})

test("a file that is emptied between look and move stays empty", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "README.md": "new\n" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  once(it, "publishing: looked", () => repo.write({ "README.md": "" }))
  for (const paths of [[], ["README.md"]]) {
    const waiting = { state: "waiting", outcome: "DIRTY_MAIN", details: { paths } }
    expect(await it.run(id)).toMatchObject(waiting)
    expect(readFileSync(join(repo.path, "README.md"), "utf8")).toBe("")
    it.wake(id)
  }
  repo.git("checkout", "--", "README.md")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

test.each([
  ["away from", false, "publishing: looked"],
  ["to", true, "publishing: looked"],
  ["to", true, "advance: ref locked"],
])("a user who switches %s the target (away: %s) at '%s' is noticed", async (_, away, at) => {
  await land({ away }, async (it, id) => {
    once(it, at, () => it.repo.git("checkout", "--quiet", ...(away ? ["main"] : ["-b", "away"])))
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED", attempts: 0 })
    expect([it.history(), it.repo.git("status", "--porcelain")]).toEqual([["commit"], ""])
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", races: 0, attempts: 0 })
    expect(it.repo.git("status", "--porcelain")).toBe("")
    expect(it.repo.tip("HEAD")).toBe(it.tip(away ? "main" : "main~1"))
  })
})

test("UPDATE_REF_FAILED: git's refusal is tried again with backoff, then a person has to act", async () => {
  await land({ away: true }, async (it, id) => {
    const folder = join(it.path, ".git/logs/refs/heads")
    rmSync(join(folder, "main"))
    mkdirSync(join(folder, "main"))
    writeFileSync(join(folder, "main/in-the-way"), "")
    const seen = []
    for (let landing = await it.run(id); ; landing = await it.run(id)) {
      seen.push([landing.state, landing.outcome, landing.attempts])
      if (landing.state !== "waiting") break
      expect(landing.wakeAtMs).toBeGreaterThan(it.nowMs)
      it.wake(id)
    }
    expect(seen).toEqual([
      ["waiting", "UPDATE_REF_FAILED", 1],
      ["waiting", "UPDATE_REF_FAILED", 2],
      ["failed", "UPDATE_REF_FAILED", 3],
    ])
    expect(it.task(id)).toMatchObject({ state: "merge_failed" })
    expect(it.history()).toEqual(["commit"])
  })
})

test("a checkout that git wrote only in part is put back, and lands when git can write it all", async () => {
  using repo = new TestRepo()
  const flag = join(repo.folder, "smudge-works")
  repo.userConfig("filter.picky.smudge", `sh -c 'test -f ${flag} && cat'`)
  repo.userConfig("filter.picky.clean", "cat")
  repo.userConfig("filter.picky.required", "true")
  repo.commit(
    { ".gitattributes": "*.picky filter=picky\n", "gone.txt": "g", "b.txt": "old\n" },
    "M0",
  )
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const files = { "a.txt": "a", "b.txt": "new\n", "c/d.picky": "c", "gone.txt": null }
  repo.commit(files, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  let seen = ""
  it.onPoint = (name) => {
    if (name === "publishing: done, not recorded") seen = repo.git("status", "--porcelain")
  }
  const landing = await it.run(id)
  expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  expect(landing.reason).toContain("external filter")
  expect([it.history(), seen]).toEqual([["commit", "M0"], ""])
  expect(readFileSync(join(repo.path, "b.txt"), "utf8")).toBe("old\n")
  writeFileSync(flag, "")
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(repo.git("status", "--porcelain")).toBe("")
  expect(Object.keys(it.files())).toEqual([
    ".gitattributes",
    "README.md",
    "a.txt",
    "b.txt",
    "c/d.picky",
  ])
})

test("after five lost races a landing goes before those that came earlier", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const [early, late] = ["early", "late"].map((branch) => {
    repo.commit({ [branch]: branch }, branch, repo.worktree(branch))
    it.nowMs += 1
    return it.submit({ branch })
  })
  repo.git("switch", "--quiet", "-c", "away") // a target without a checkout is never held
  let n = 0
  it.onPoint = (name) => {
    if (name !== "publishing: looked" || n === 5) return
    const commit = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", `M${n++}`)
    repo.git("update-ref", "refs/heads/main", commit)
  }
  recordLanding(it.db, it.landing(early!), { event: "blocked" }, it.nowMs) // delays no landing
  while (it.landing(late!).races < 5) await it.step(late!)
  it.wake(early!)
  for (const id of [early!, late!]) await it.step(id)
  expect(await it.run(early!)).toMatchObject({ state: "queued" })
  expect(await it.run(late!)).toMatchObject({ state: "landed", races: 5 })
  expect(await it.run(early!)).toMatchObject({ state: "landed" })
})

test("a lock that another process takes in the last moment costs no attempt", async () => {
  await land({}, async (it, id) => {
    const lock = join(it.path, ".git/refs/heads/main.lock")
    once(it, "publishing: looked", () => writeFileSync(lock, ""))
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED", attempts: 0 })
    rmSync(lock)
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
  })
})

test("a missing object is named, and not taken for the user's edit [14.5]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  const blob = repo.tip("feat:a.txt")
  rmSync(join(repo.path, ".git/objects", blob.slice(0, 2), blob.slice(2)))
  const landing = await it.run(it.submit({ branch: "feat" }))
  expect(landing.outcome).not.toBe("DIRTY_MAIN")
  expect(landing.reason).toContain("lacks 1 of the objects that a checkout needs")
})
