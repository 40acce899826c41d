/** Scenarios of group W: the agent's worktree, while its work lands and after. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { type Files, TestRepo } from "../support/repo.ts"

/** A red gate, so that the worktree is still there to look at, standing at the candidate. */
const RED = { gate: "test ! -f feat.txt", handbacksMax: 0 }

type Story = LandingTestOptions & {
  readonly main: Files
  readonly placed?: readonly string[]
  readonly disturb?: (repo: TestRepo, worktree: string) => void
}

async function land(
  { main, placed = [], disturb, ...options }: Story,
  check: (it: LandingTest, landing: Landing, worktree: string) => void | Promise<void>,
) {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "*.env\n*.o\n/build/\n", "x.txt": "x\n" }, "M0")
  await using it = new LandingTest(repo, options)
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  disturb?.(repo, worktree)
  const id = it.submit({ branch: "feat", placed })
  repo.commit(main, "M1")
  await check(it, await it.run(id), worktree)
}

/** The content of a file in the first rescue, as bytes. */
const rescued = (it: LandingTest, path: string) => it.repo.git("show", `${rescue(it)}:${path}`)
const rescue = (it: LandingTest) => it.leftRefs().find((ref) => ref.includes("/rescue/"))

test("W01: the worktree goes to the candidate, with its branch; ignored files stay", async () => {
  const disturb = (repo: TestRepo, worktree: string) =>
    repo.write({ "artifact.env": "mine" }, worktree)
  await land({ ...RED, main: { "m.txt": "m" }, disturb }, (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
    expect(it.repo.gitIn(worktree, "symbolic-ref", "HEAD")).toBe("refs/heads/feat")
    expect(it.repo.tip("feat")).toBe(landing.repos[0]!.candidate)
    expect(it.history("feat")).toEqual(["commit", "M0", "M1", "A1"])
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
    expect(readFileSync(join(worktree, "m.txt"), "utf8")).toBe("m")
    expect(readFileSync(join(worktree, "artifact.env"), "utf8")).toBe("mine")
  })
})

test("W02: an untracked file that the target adds too is work, and a conflict", async () => {
  const disturb = (repo: TestRepo, worktree: string) =>
    repo.write({ "notes.txt": "mine" }, worktree)
  await land({ ...RED, main: { "notes.txt": "theirs" }, disturb }, (_, landing, worktree) => {
    expect(landing.outcome).toBe("SQUASH_CONFLICT")
    expect(readFileSync(join(worktree, "notes.txt"), "utf8")).toBe("mine")
  })
})

test("W03: an ignored file that the target tracks is rescued before it is replaced [4.2, 6.2]", async () => {
  const disturb = (repo: TestRepo, worktree: string) => repo.write({ "a.env": "mine" }, worktree)
  const main = { ".gitignore": "*.o\n/build/\n", "a.env": "theirs" }
  await land({ ...RED, main, disturb }, (it, landing, worktree) => {
    expect(landing.outcome).toBe("PRE_MERGE_FAILED")
    expect(readFileSync(join(worktree, "a.env"), "utf8")).toBe("theirs")
    expect(rescued(it, "a.env")).toBe("mine")
    expect(it.trace(landing.id)).toContain("rescue.made")
  })
})

test("W04: an ignored folder where the target has a file is rescued before it is replaced", async () => {
  const disturb = (repo: TestRepo, worktree: string) =>
    repo.write({ "build/a.o": "mine" }, worktree)
  const main = { ".gitignore": "*.env\n*.o\n", build: "a file" }
  await land({ ...RED, main, disturb }, (it, landing, worktree) => {
    expect(landing.outcome).toBe("PRE_MERGE_FAILED")
    expect(readFileSync(join(worktree, "build"), "utf8")).toBe("a file")
    expect(rescued(it, "build/a.o")).toBe("mine")
  })
})

test("W05, W17: staged, edited, deleted and untracked leftovers land; ignored files do not", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.write({ "staged.txt": "s", "two.txt": "2" }, worktree)
    repo.gitIn(worktree, "add", "staged.txt")
    repo.write({ "x.txt": "edited\n", "README.md": null, "x.o": "o", "one.txt": "1" }, worktree)
  }
  await land({ main: { "m.txt": "m" }, disturb }, (it, landing, worktree) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.files()).toEqual({
      ".gitignore": "*.env\n*.o\n/build/",
      "feat.txt": "feat",
      "m.txt": "m",
      "one.txt": "1",
      "staged.txt": "s",
      "two.txt": "2",
      "x.txt": "edited",
    })
    expect(existsSync(worktree)).toBe(false)
  })
})

test("files that copy and link placed are never committed, staged by the agent or not, and go with the worktree", async () => {
  const placed = ["local.cfg", "vendor", "linked"]
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.write({ "local.cfg": "secret", "vendor/a/b": "v", "real.txt": "r" }, worktree)
    repo.gitIn(worktree, "add", "--all")
    writeFileSync(join(worktree, "linked"), "l")
  }
  await land({ ...RED, main: { "m.txt": "m" }, placed, disturb }, (it, landing, worktree) => {
    expect(landing.outcome).toBe("PRE_MERGE_FAILED")
    expect(Object.keys(it.files("feat"))).toEqual([
      ".gitignore",
      "README.md",
      "feat.txt",
      "m.txt",
      "real.txt",
      "x.txt",
    ])
    for (const path of ["local.cfg", "vendor/a/b", "linked"])
      expect(existsSync(join(worktree, path)), path).toBe(true)
  })
})

test("files that Coppice placed do not count as leftovers", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.write({ "vendor/a/b": "v" }, repo.worktree("feat"))
  const landing = await it.run(it.submit({ branch: "feat", placed: ["vendor/"] }))
  expect(landing.outcome).toBe("NO_CHANGES")
})

test("W07: a commit that comes while the worktree is removed is rescued", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  it.onPoint = (name) => {
    if (name === "cleaning: before") repo.commit({ late: "late" }, "LATE", worktree)
  }
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(it.history()).toEqual(["commit", "A1"])
  const reachable = repo.git("log", "--all", "--format=%s")
  expect(reachable).toContain("LATE")
})

test("W10: a worktree that was deleted by hand: its branch lands, and is cleaned up", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ m: "m" }, "M1")
  rmSync(worktree, { recursive: true })
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED", reason: null })
  expect(it.history()).toEqual(["commit", "M1", "A1"])
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main")
})

test("W17: files that appear after the work has landed are rescued, never dropped silently [4.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  it.onPoint = (name) => {
    if (name === "cleaning: before") repo.write({ "late.txt": "late" }, worktree)
  }
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(rescued(it, "late.txt")).toBe("late")
  expect(it.trace(id)).toContain("rescue.made")
})

test("a worktree that cannot be removed is kept, reported, and still on record", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ a: "a" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.git("worktree", "lock", worktree)
  const landing = await it.run(id)
  expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(landing.reason).toContain("is locked")
  expect([existsSync(worktree), it.task(id).repos[0]?.worktree]).toEqual([true, worktree])
  expect(it.history()).toEqual(["commit", "A1"])
})

test("an agent's empty folder, and files with a new time alone, do not prevent the gate", async () => {
  const disturb = (_: TestRepo, worktree: string) => {
    mkdirSync(join(worktree, "m"))
    writeFileSync(join(worktree, "x.txt"), "x\n")
  }
  await land(
    { gate: "test -f m/m.txt", main: { "m/m.txt": "m", "x.txt": "X\n" }, disturb },
    (it, landing) => {
      expect(landing).toMatchObject({ state: "landed", races: 0 })
      expect(it.files()["x.txt"]).toBe("X")
    },
  )
})
