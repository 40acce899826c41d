/** With `push_target`, the target of the remote moves first, once, and by compare-and-swap. */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest, type LandingTestOptions } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { LandingId } from "../../base/ids.ts"
import { recheckWait } from "../../kernel/landing/recheck-wait.ts"
import { readUniqueName } from "../../kernel/store/home.ts"
import { cancel } from "../../kernel/tasks/actions/cancel.ts"

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

test("a push that was cut off is recognised by its receipt, though the remote has moved on [44.2]", async () => {
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
  expect(waiting.reason).toBe("origin refuses main: protected branch: ask ops")
  writeFileSync(world.hook, "#!/bin/sh\nexit 1\n")
  world.it.wake(id)
  const { reason } = await world.it.run(id)
  expect(reason).toBe("origin refuses main: pre-receive hook declined")
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
  expect(await world.it.run(id)).toMatchObject({ state: "waiting", outcome: "REMOTE_UNAVAILABLE" })
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

test("an edit that keeps the target from following its remote leaves no trace while it stays [44.9]", async () => {
  await using world = new PushTest()
  const { it } = world
  const id = world.submit()
  world.pushAsOther()
  world.repo.write({ "theirs.txt": "mine" })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  const before = it.trace(id)
  const look = () => recheckWait(it.context, id, new AbortController().signal)
  for (let n = 0; n < 3; n++) await look()
  expect([it.trace(id), it.landing(id).state]).toEqual([before, "waiting"])
  rmSync(join(world.repo.path, "theirs.txt"))
  await look()
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.history()).toEqual(["commit", "THEIRS", "A1"])
})

test("a user's fetch wakes a landing whose target cannot follow its remote", async () => {
  await using world = new PushTest()
  const { it } = world
  const id = world.submit()
  world.pushAsOther()
  world.repo.write({ "theirs.txt": "mine" })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  world.repo.gitIn(world.origin, "update-ref", "refs/heads/main", it.tip("main"))
  world.repo.git("fetch", "--quiet", "origin")
  await recheckWait(it.context, id, new AbortController().signal)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

test("a candidate that the remote contains already counts as pushed [44.2]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.once("publishing: looked", () => world.repo.git("push", "--quiet", "origin", "feat:main"))
  const landed = await world.it.run(id)
  expect(landed).toMatchObject({ state: "landed", outcome: "LANDED", races: 0 })
  expect(world.it.history()).toEqual(["commit", "A1"])
})

/** The remote goes away during the push, so its end is unknown. */
async function losePush(world: PushTest): Promise<LandingId> {
  const id = world.submit()
  world.once("publishing: push recorded", () => renameSync(world.origin, `${world.origin}.away`))
  const waiting = await world.it.run(id)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "REMOTE_UNAVAILABLE", decided: true })
  return id
}

test("a landing that is cancelled while the end of its push is unknown says that it may arrive [44.10]", async () => {
  await using world = new PushTest()
  const id = await losePush(world)
  await cancel(world.it.context, world.it.task(id))
  const cancelled = world.it.landing(id)
  expect(cancelled).toMatchObject({ state: "cancelled", decided: false })
  expect(cancelled.reason).toContain("its push to main of the remote")
  expect(cancelled.reason).toContain("may still arrive")
})

test("a landing that is cancelled after its push says that the remote has it [44.10]", async () => {
  await using world = new PushTest()
  const id = world.submit()
  world.once("publishing: pushed", () => world.repo.write({ "a.txt": "mine" }))
  expect(await world.it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  await cancel(world.it.context, world.it.task(id))
  expect(world.it.landing(id).reason).toMatch(/main of the remote of .* has it$/)
})

test("a task whose push the remote delays says that it waits for the remote [12.1]", async () => {
  await using world = new PushTest()
  const { it, hook } = world
  const id = world.submit()
  writeFileSync(hook, `#!/bin/sh\ntouch begun; while [ ! -e go ]; do sleep 0.05; done\n`)
  chmodSync(hook, 0o755)
  const { task } = it.landing(id)
  const landed = it.context.waits.during(task, () => it.run(id))
  await waitFor("the push", () => existsSync(join(world.origin, "begun")))
  expect(it.context.waits.find(task)?.text).toBe("the remote origin to answer")
  writeFileSync(join(world.origin, "go"), "")
  expect(await landed).toMatchObject({ outcome: "LANDED" })
})

test("a push that did not arrive proves nothing about the candidate that follows it [44.2]", async () => {
  await using world = new PushTest()
  const id = await losePush(world)
  renameSync(`${world.origin}.away`, world.origin)
  const [repo] = world.it.landing(id).repos
  world.pushAsOther()
  world.once("publishing: looked", () => {
    // The receipt arrives late, at a remote whose hooks do not ask for its lease.
    const ref = `refs/coppice/receipt/${readUniqueName(world.it.db)}/main/@`
    world.repo.git("push", "--quiet", "origin", `${repo?.receipt}:${ref}`)
  })
  expect(await world.it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.remote).toEqual(["commit", "THEIRS", "A1"])
})

test("if the second of two remotes refuses, the first keeps the work, and a person's help ends it [44.4]", async () => {
  using web = new TestRepo()
  const origin = web.addOrigin()
  const hook = join(origin, "hooks", "pre-receive")
  writeFileSync(hook, "#!/bin/sh\necho ask ops >&2\nexit 1\n", { mode: 0o755 })
  await using world = new PushTest({ also: { web } })
  web.commit({ "w.txt": "w" }, "W1", web.worktree("feat"))
  const id = world.submit()
  const waiting = await world.it.run(id)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "PUSH_REFUSED", decided: true })
  expect(waiting.reason).toContain("ask ops")
  expect(waiting.repos.map(({ published, pushed }) => [published, pushed])).toEqual([
    [true, true],
    [false, false],
  ])
  expect([world.remote, world.it.history()]).toEqual([
    ["commit", "A1"],
    ["commit", "A1"],
  ])
  expect(web.gitIn(origin, "log", "--format=%s", "main")).toBe("commit")
  expect(web.git("log", "--format=%s", "main")).toBe("commit")
  rmSync(hook)
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(web.gitIn(origin, "log", "--format=%s", "main")).toBe("W1\ncommit")
  expect(web.tip("main")).toBe(web.gitIn(origin, "rev-parse", "main"))
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

test("work that another push brings to the remote is decided, and later work lands in its own turn [44.2]", async () => {
  using web = new TestRepo()
  const origin = web.addOrigin()
  await using world = new PushTest({ also: { web } })
  web.commit({ "w.txt": "w" }, "W1", web.worktree("feat"))
  const id = world.submit()
  world.once("publishing: looked", () => {
    world.repo.git("push", "--quiet", "origin", "feat:main")
    renameSync(origin, `${origin}.away`)
  })
  expect(await world.it.run(id)).toMatchObject({ outcome: "REMOTE_UNAVAILABLE", decided: true })

  renameSync(`${origin}.away`, origin)
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(web.gitIn(origin, "log", "--format=%s", "-1", "main")).toBe("W1")
})

test("a first try that arrives during the second one counts for both [44.2]", async () => {
  await using world = new PushTest()
  const { it, repo } = world
  const id = world.submit()
  world.once("publishing: push recorded", () => {
    const [first] = it.landing(id).repos
    it.onPoint = (name) => {
      if (name !== "publishing: push recorded") return
      it.onPoint = () => {}
      const receipt = `${first!.receipt}:refs/coppice/receipt/${readUniqueName(it.db)}/main/@`
      repo.git("push", "--quiet", "--atomic", "origin", `${first!.candidate}:main`, receipt)
    }
    throw new Crash("cut off")
  })
  expect(await it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.remote).toEqual(["commit", "A1"])
})

test("a push that ends without git's report may still arrive: that is no refusal [44.10]", async () => {
  await using world = new PushTest()
  writeFileSync(world.hook, "#!/bin/sh\nkill -9 $PPID\n", { mode: 0o755 })
  const waiting = await world.it.run(world.submit())
  expect(waiting).toMatchObject({ outcome: "REMOTE_UNAVAILABLE", decided: true })
})
