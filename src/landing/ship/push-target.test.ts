/** With `push_target`, the target of the remote moves first, once, and by compare-and-swap. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest, type LandingTestOptions } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"

class PushTest implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly origin = this.repo.addOrigin()
  readonly it: LandingTest
  constructor(options: LandingTestOptions = {}) {
    this.it = new LandingTest(this.repo, { pushTarget: true, ...options })
  }

  submit(files = { "a.txt": "a" }) {
    this.repo.commit(files, "A1", this.repo.worktree("feat"))
    return this.it.submit({ branch: "feat" })
  }
  /** Subjects of the remote's target, oldest first. */
  get remote(): string[] {
    return this.repo.gitIn(this.origin, "log", "--reverse", "--format=%s", "main").split("\n")
  }
  /** Another person pushes a commit. */
  pushAsOther(path = "theirs.txt"): void {
    const folder = join(this.repo.folder, `other-${path}`)
    this.repo.git("clone", "--quiet", this.origin, folder)
    writeFileSync(join(folder, path), "theirs\n")
    this.repo.gitIn(folder, "add", "--all")
    this.repo.gitIn(folder, "commit", "--quiet", "--message", "THEIRS")
    this.repo.gitIn(folder, "push", "--quiet", "origin", "main")
  }
  get hook(): string {
    return join(this.origin, "hooks", "pre-receive")
  }
  once(at: string, act: () => void): void {
    this.it.onPoint = (name) => {
      if (name !== at) return
      this.it.onPoint = () => {}
      act()
    }
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("a landing moves the target of the remote, and the local one with its checkout [44.1]", async () => {
  await using world = new PushTest()
  expect(await world.it.run(world.submit())).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.remote).toEqual(["commit", "A1"])
  expect(world.it.tip("main")).toBe(world.repo.gitIn(world.origin, "rev-parse", "main"))
  expect(world.repo.git("status", "--porcelain")).toBe("")
  expect(world.it.leftRefs().filter((ref) => !ref.includes("/rescue/"))).toEqual([])
})

test.each([
  "publishing: looked",
  "publishing: push recorded",
  "publishing: pushed",
  "advance: ref locked",
  "advance: files moved",
  "advance: ref moved",
  "publishing: one published",
  "publishing: done, not recorded",
])("a program that dies at `%s` lands and pushes once [44.2]", async (point) => {
  await using world = new PushTest()
  const id = world.submit()
  let dies = true
  world.it.onPoint = (name) => {
    if (name !== point || !dies) return
    dies = false
    throw new Crash(name)
  }
  expect(await world.it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(dies).toBe(false)
  expect([world.remote, world.it.history()]).toEqual([
    ["commit", "A1"],
    ["commit", "A1"],
  ])
  expect(world.repo.git("status", "--porcelain")).toBe("")
})

test("a push that was cut off is recognised by its fence, though the remote has moved on [44.2]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.once("publishing: pushed", () => {
    world.pushAsOther()
    throw new Crash("pushed")
  })
  expect(await world.it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.remote).toEqual(["commit", "A1", "THEIRS"])
  expect(world.it.history()).toEqual(["commit", "A1", "THEIRS"])
})

test("work that another push has removed from the remote is not pushed again by itself [44.6]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.once("publishing: pushed", () => {
    world.repo.gitIn(world.origin, "update-ref", "refs/heads/main", world.it.tip("main"))
    throw new Crash("pushed")
  })
  const failed = await world.it.runThrough(id)
  expect(failed).toMatchObject({ state: "failed", outcome: "PUSH_FAILED" })
  expect(failed.reason).toContain("another push has removed it")
  expect(world.remote).toEqual(["commit"])
})

test.each(["preparing: done, not recorded", "publishing: looked", "publishing: push recorded"])(
  "a remote that moves at `%s` is fetched, and the work rebased and tested again [44.3]",
  async (point) => {
    await using world = new PushTest({ gate: 'test ! -e theirs.txt || echo both >> "$HOME/ran"' })
    const id = world.submit()
    world.once(point, () => world.pushAsOther())
    expect(await world.it.runThrough(id)).toMatchObject({ state: "landed", races: 1, attempts: 0 })
    expect(world.remote).toEqual(["commit", "THEIRS", "A1"])
    expect(world.it.history()).toEqual(world.remote)
    expect(readFileSync(join(world.repo.folder, "ran"), "utf8")).toBe("both\n")
    expect(world.repo.git("status", "--porcelain")).toBe("")
  },
)

test("a remote that refuses makes the landing wait, in its words, until a person acts [44.4]", async () => {
  await using world = new PushTest()
  writeFileSync(world.hook, "#!/bin/sh\necho protected branch: ask ops >&2\nexit 1\n", {
    mode: 0o755,
  })
  const id = world.submit()
  const waiting = await world.it.run(id)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "PUSH_REFUSED", decided: false })
  expect(waiting.reason).toContain("protected branch: ask ops")
  expect([world.remote, world.it.history()]).toEqual([["commit"], ["commit"]])
  rmSync(world.hook)
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
  expect(world.remote).toEqual(["commit", "A1"])
})

test("a user's commits that were never pushed stay here, and the landing waits for a person [44.5]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.repo.commit({ "mine.txt": "mine" }, "MINE")
  const waiting = await world.it.run(id)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "UNPUSHED" })
  expect(world.remote).toEqual(["commit"])
  world.repo.git("push", "--quiet", "origin", "main")
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
  expect(world.remote).toEqual(["commit", "MINE", "A1"])
})

test("a remote that does not answer is asked again", async () => {
  await using world = new PushTest()
  const id = world.submit()
  const away = `${world.origin}.away`
  renameSync(world.origin, away)
  expect(await world.it.run(id)).toMatchObject({ state: "waiting", outcome: "FORGE_UNAVAILABLE" })
  renameSync(away, world.origin)
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
})

test("an edit that comes after the push stays, and the target follows when it is out of the way [44.7]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.once("publishing: pushed", () => world.repo.write({ "a.txt": "mine" }))
  expect(await world.it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  expect([world.remote, world.it.history()]).toEqual([["commit", "A1"], ["commit"]])
  rmSync(join(world.repo.path, "a.txt"))
  expect(await world.it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.it.history()).toEqual(["commit", "A1"])
})

test("a remote that an agent turns elsewhere gets nothing [44.8]", async () => {
  await using world = new PushTest()
  const elsewhere = world.repo.clone("elsewhere.git", "--bare")
  const id = world.submit()
  world.once("preparing: done, not recorded", () =>
    world.repo.git("config", `url.${elsewhere}.insteadOf`, world.origin),
  )
  expect(await world.it.run(id)).toMatchObject({ state: "waiting", outcome: "PUSH_REFUSED" })
  expect(world.repo.gitIn(elsewhere, "log", "--format=%s", "main")).toBe("commit")
  expect(world.remote).toEqual(["commit"])
})
