/** Pull requests of work that starts from another task's lead into its branch, and follow it to the target. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { type MergeMethod, review } from "../../../test/support/forge/pulls.ts"
import { Crash, type LandingTestOptions } from "../../../test/support/landing.ts"
import { ShippingTest } from "../../../test/support/shipping.ts"
import type { LandingId } from "../../base/ids.ts"
import { recheckWait } from "../../kernel/landing/recheck-wait.ts"
import { land } from "../../kernel/tasks/actions/land.ts"
import { restart } from "../../kernel/tasks/actions/restart.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { recordPull } from "../pull-requests/rows.ts"

type Stack = { readonly lower: LandingId; readonly upper: LandingId }

/** Two tasks, each with an open pull request; the upper one starts from the work of the lower one. */
async function stacked(
  world: ShippingTest,
  files?: Readonly<Record<string, string>>,
): Promise<Stack> {
  const lower = world.submit()
  await world.fleet.run(lower)
  const upper = world.submitOn(lower, files)
  expect(await world.fleet.run(upper)).toMatchObject({ state: "proposed" })
  return { lower, upper }
}

const pullOf = ({ pulls }: ShippingTest, branch: string) =>
  pulls.all.find(({ head }) => head === branch)!

/** Subjects of the commits that a pull request shows. */
function shown(world: ShippingTest, branch: string): string[] {
  const { base } = pullOf(world, branch)
  return world.pulls.git("log", "--format=%s", `${base}..${branch}`).split("\n")
}

/** The lower pull request is merged, and its task ends. */
async function mergeLower(world: ShippingTest, lower: LandingId, method: MergeMethod) {
  world.pulls.merge(pullOf(world, "agent/1"), method)
  expect(await world.fleet.run(lower)).toMatchObject({ state: "landed" })
}

test("it leads into the other's branch, and is not merged there [42.18]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { autoMerge: "squash" } })
  const { upper } = await stacked(world)
  const pull = pullOf(world, "agent/2")
  expect(pull).toMatchObject({ base: "agent/1", state: "open" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
  review(world.server.state, pull, "APPROVED")
  await world.look(upper)
  expect([pull.merge, world.fleet.task(upper).state]).toEqual([null, "reviews_in_progress"])
  expect(world.row(upper)).toMatchObject({
    review: "approved",
    problem: "it leads into agent/1, until task 1 is merged",
  })
  const events = world.fleet.trace(upper).length
  await world.look(upper)
  expect(world.fleet.trace(upper)).toHaveLength(events)
})

test.each(["merge", "squash", "rebase"] as const)(
  "when the other is merged by %s, it leads into the target with its own commits alone [42.19]",
  async (method) => {
    await using world = await ShippingTest.start()
    const { lower, upper } = await stacked(world)
    world.pushAsOther("main", { "others.txt": "others\n" })
    await mergeLower(world, lower, method)
    expect(await world.look(upper)).toMatchObject({ state: "proposed" })
    const pull = pullOf(world, "agent/2")
    expect([pull.base, pull.state, world.pulls.all.length]).toEqual(["main", "open", 2])
    expect(shown(world, "agent/2")).toEqual(["the upper work"])
    const worktree = world.fleet.task(upper).repos[0]?.worktree ?? ""
    expect(world.repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(world.pulls.tip("agent/2"))
    expect(world.repo.gitIn(worktree, "status", "--porcelain")).toBe("")

    world.pulls.merge(pull, method)
    expect(await world.fleet.run(upper)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(world.pulls.git("show", "main:upper.txt")).toBe("upper")
    expect(world.pulls.git("show", "main:work.txt")).toBe("work")
  },
)

test.each([
  "shipping: retargeted",
  "shipping: push recorded",
  "shipping: pushed",
  "shipping: done, not recorded",
  "restacking: before",
  "restacking: moved",
  "restacking: done, not recorded",
  "advance: ref locked",
  "advance: files moved",
  "advance: ref moved",
])("a program that dies at `%s` retargets and rebases it once [42.20]", async (point) => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  await mergeLower(world, lower, "squash")
  let dies = true
  world.fleet.onPoint = (name) => {
    if (name !== point || !dies) return
    dies = false
    throw new Crash(name)
  }
  expect(await world.fleet.runThrough(upper)).toMatchObject({ state: "proposed", attempts: 0 })
  expect(dies).toBe(false)
  expect(world.pulls.all).toHaveLength(2)
  expect(pullOf(world, "agent/2")).toMatchObject({ base: "main", state: "open" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
  const head = world.pulls.tip("agent/2")
  expect([world.fleet.tip("agent/2"), world.row(upper).pushed]).toEqual([head, head])
})

test("a commit of another person on its branch is not overwritten by the rebase [42.4]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  const theirs = world.pushAsOther("agent/2", { "theirs.txt": "theirs\n" })
  await mergeLower(world, lower, "squash")
  const before = world.fleet.tip("agent/2")
  const refused = await world.fleet.run(upper)
  expect(refused).toMatchObject({ state: "failed", outcome: "PUSH_FAILED" })
  expect([world.pulls.tip("agent/2"), world.fleet.tip("agent/2")]).toEqual([theirs, before])
})

test.each(["no more work", "more work"])(
  "with %s, after the command that takes in a person's commit, it is rebased with that and without the other's [42.19]",
  async (kind) => {
    await using world = await ShippingTest.start()
    const { fleet } = world
    const { lower, upper } = await stacked(world)
    if (kind === "more work") {
      review(world.server.state, pullOf(world, "agent/2"), "CHANGES_REQUESTED", { body: "More." })
      await world.look(upper)
    }
    world.pushAsOther("agent/2", { "theirs.txt": "theirs\n" })
    await mergeLower(world, lower, "squash")
    if (kind === "more work") world.again(upper, { "upper.txt": "more\n" })
    const { reason } = await fleet.run(upper)
    const hint = /`git -C (\S+) (pull --no-rebase \S+ \S+)`/.exec(reason ?? "")
    const [, worktree = "", pull = ""] = hint ?? []
    world.repo.gitIn(worktree, ...pull.split(" "), "--no-edit")
    await restart({ db: fleet.db, world: fleet.context.world }, fleet.task(upper))
    if (fleet.landing(upper).state === "failed") fleet.resubmit(upper) // the agent went on
    expect(await fleet.run(upper)).toMatchObject({ state: "proposed" })
    expect(pullOf(world, "agent/2").base).toBe("main")
    expect(shown(world, "agent/2")).not.toContain("the work")
    const changed = world.pulls.git("diff", "--name-only", "main...agent/2").split("\n")
    expect(changed).toEqual(["theirs.txt", "upper.txt"])
    expect(world.row(upper).pushed).toBe(world.pulls.tip("agent/2"))
  },
)

test("work that the replay leaves empty ends without changes [42.19]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  world.pulls.closesEmpty = true
  await mergeLower(world, lower, "squash")
  world.pushAsOther("main", { "upper.txt": "upper\n" })
  expect(await world.fleet.run(upper)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
})

test("a conflict with what was merged goes back to its agent, with the command that drops the other's commits [42.19]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world, { "work.txt": "upper\n" })
  review(world.server.state, pullOf(world, "agent/1"), "CHANGES_REQUESTED", { body: "More." })
  await world.look(lower)
  world.again(lower, { "work.txt": "lower\n" })
  await world.fleet.run(lower)
  await mergeLower(world, lower, "squash")
  const landing = await world.fleet.run(upper)
  expect(landing).toMatchObject({ state: "handed_back", outcome: "SQUASH_CONFLICT" })
  const prompt = findOpenTurn(world.fleet.db, landing.task)?.prompt ?? ""
  const command = /git rebase --onto (\w+) (\w+)/.exec(prompt)
  expect(command).not.toBeNull()
  const worktree = join(world.repo.folder, "worktrees", "agent-2")
  const [, onto = "", since = ""] = command ?? []
  expect(() => world.repo.gitIn(worktree, "rebase", "--onto", onto, since)).toThrow()
  world.repo.write({ "work.txt": "both\n" }, worktree)
  world.repo.gitIn(worktree, "add", "work.txt")
  world.repo.gitIn(worktree, "-c", "core.editor=true", "rebase", "--continue")
  world.fleet.resubmit(upper)
  expect(await world.fleet.run(upper)).toMatchObject({ state: "proposed" })
  expect(pullOf(world, "agent/2").base).toBe("main")
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("the third of a stack follows the second, which was rebased [42.19]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  const base = world.fleet.landing(upper).repos[0]!.head!
  const worktree = world.repo.worktree("agent/3", base)
  world.repo.commit({ "third.txt": "third\n" }, "the third work", worktree)
  const on = world.fleet.landing(upper).task
  const third = world.fleet.submit({ branch: "agent/3", worktree, land: "pr", base, on })
  await world.fleet.run(third)
  expect(pullOf(world, "agent/3").base).toBe("agent/2")
  await mergeLower(world, lower, "squash")
  await world.look(upper)
  await world.look(third)
  expect(pullOf(world, "agent/3").base).toBe("agent/2")
  expect(shown(world, "agent/3")).toEqual(["the third work"])
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test.each(["closed", "cancelled"] as const)(
  "when the other is %s, it waits for a person, and lands without that work on request [42.21]",
  async (end) => {
    await using world = await ShippingTest.start()
    const { fleet } = world
    const { lower, upper } = await stacked(world)
    if (end === "closed") {
      pullOf(world, "agent/1").state = "closed"
      await world.look(lower)
    } else fleet.db.exec("update tasks set state = 'cancelled' where id = 1")
    const waiting = await world.look(upper)
    expect(waiting).toMatchObject({ state: "waiting", outcome: "LOWER_CLOSED" })
    expect(waiting.reason).toMatch(
      end === "closed" ? /task 1, .* closed without a merge/ : /task 1, .* was cancelled/,
    )
    const before = fleet.trace(upper)
    await recheckWait(fleet.context, upper, new AbortController().signal)
    expect(fleet.trace(upper)).toEqual(before)

    const task = findTask(fleet.db, waiting.task)!
    land({ db: fleet.db, world: fleet.context.world }, task)
    expect(await fleet.run(upper)).toMatchObject({ state: "proposed" })
    expect(pullOf(world, "agent/2").base).toBe("main")
    expect(shown(world, "agent/2")).toEqual(["the upper work"])
    expect(() => world.pulls.git("show", "agent/2:work.txt")).toThrow()
  },
)

test("it is opened when the other has a pull request, and not before [42.18]", async () => {
  await using world = await ShippingTest.start()
  const { fleet } = world
  const lower = world.submit()
  await fleet.step(lower) // as far as the snapshot
  const upper = world.submitOn(lower)
  expect(await fleet.run(upper)).toMatchObject({ state: "shipping" })
  expect(world.pulls.all).toEqual([])
  await fleet.run(lower)
  expect(await fleet.run(upper)).toMatchObject({ state: "proposed" })
  expect(pullOf(world, "agent/2").base).toBe("agent/1")
})

test("before the other's branch goes from the remote, it leads into the target [42.19]", async () => {
  const options: LandingTestOptions = { pullRequest: { deletesBranch: true } }
  await using world = await ShippingTest.start(options)
  const { lower, upper } = await stacked(world)
  world.pulls.closesWithBranch = true
  await mergeLower(world, lower, "squash")
  expect(world.pulls.tip("agent/1")).toBe("")
  const pull = pullOf(world, "agent/2")
  expect([pull.base, pull.state]).toEqual(["main", "open"])
  expect(await world.look(upper)).toMatchObject({ state: "proposed" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("it is not closed if the other's branch goes before its number is recorded [42.19]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { deletesBranch: true } })
  const { fleet, pulls } = world
  const lower = world.submit()
  await fleet.run(lower)
  const upper = world.submitOn(lower)
  pulls.closesWithBranch = true
  fleet.onPoint = async (name) => {
    if (name !== "shipping: opened") return
    fleet.onPoint = () => {}
    await mergeLower(world, lower, "squash")
  }
  await fleet.run(upper)
  expect([pulls.tip("agent/1"), pulls.all.length]).toEqual(["", 2])
  expect(await world.look(upper)).toMatchObject({ state: "proposed" })
  expect(pullOf(world, "agent/2")).toMatchObject({ base: "main", state: "open" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("it is not opened into a branch that is about to go [42.18]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { deletesBranch: true } })
  const { fleet, pulls, server } = world
  const lower = world.submit()
  await fleet.run(lower)
  const upper = world.submitOn(lower)
  server.onRequest = async ({ path }) => {
    if (!path.includes("/pulls?")) return // the search for an earlier one
    server.onRequest = () => {}
    pulls.merge(pullOf(world, "agent/1"), "squash")
    await fleet.step(lower)
  }
  expect(await fleet.run(upper)).toMatchObject({ state: "shipping" })
  expect(pulls.all).toHaveLength(1)
  await fleet.run(lower)
  expect(await fleet.run(upper)).toMatchObject({ state: "proposed" })
  expect([pulls.tip("agent/1"), pullOf(world, "agent/2").base]).toEqual(["", "main"])
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("the other's branch stays while it may be opened into it, unseen [42.19]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { deletesBranch: true } })
  const { fleet, pulls } = world
  const lower = world.submit()
  await fleet.run(lower)
  const upper = world.submitOn(lower)
  while (world.row(upper).pushed === null) await fleet.step(upper)
  recordPull(fleet.db, world.row(upper), { base: "agent/1", number: null, url: null })
  pulls.all.pop() // the forge has not taken the request yet
  pulls.merge(pullOf(world, "agent/1"), "squash")
  const { reason } = await fleet.run(lower)
  expect(reason).toContain("task 2 may be opening its pull request into it")
  expect(pulls.tip("agent/1")).not.toBe("")
})

test("the other's branch stays, and its task ends, when its forge is no longer known [42.19]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { deletesBranch: true } })
  const { lower, upper } = await stacked(world)
  world.fleet.onPoint = (name) => {
    if (name === "cleaning: rescued") world.isForgeKnown = false
  }
  await mergeLower(world, lower, "squash")
  expect(world.fleet.landing(lower).reason).toContain("The branch agent/1 stays at origin")
  expect(world.row(upper).base).toBe("agent/1")
})

test("a lower task that is deleted once it is merged leaves a pull request that follows all the same [42.19]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  await mergeLower(world, lower, "squash")
  world.fleet.db.exec("delete from tasks where id = 1")
  expect(await world.look(upper)).toMatchObject({ state: "proposed" })
  expect(pullOf(world, "agent/2").base).toBe("main")
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("one that was opened right before a crash is found and turned, although the other was merged since [42.20]", async () => {
  await using world = await ShippingTest.start()
  const { fleet } = world
  const lower = world.submit()
  await fleet.run(lower)
  const upper = world.submitOn(lower)
  const opened = new AbortController()
  fleet.onPoint = (name) => {
    if (name !== "shipping: opened" || opened.signal.aborted) return
    opened.abort()
    throw new Crash(name)
  }
  while (!opened.signal.aborted) await fleet.step(upper)
  await mergeLower(world, lower, "squash")
  expect(await fleet.run(upper)).toMatchObject({ state: "proposed" })
  expect(world.pulls.all).toHaveLength(2)
  expect(pullOf(world, "agent/2")).toMatchObject({ base: "main", state: "open" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
  expect(world.row(upper).number).toBe(pullOf(world, "agent/2").number)
})

test("more work of the lower task, once that is merged, concerns it no more [42.19]", async () => {
  await using world = await ShippingTest.start()
  const { lower, upper } = await stacked(world)
  await mergeLower(world, lower, "squash")
  await world.look(upper)
  world.fleet.db.exec("update tasks set state = 'working' where id = 1")
  review(world.server.state, pullOf(world, "agent/2"), "CHANGES_REQUESTED", { body: "More." })
  expect(await world.look(upper)).toMatchObject({ state: "handed_back" })
})

test("work that starts from a snapshot waits until that is pushed [42.18]", async () => {
  await using world = await ShippingTest.start()
  const lower = world.submit()
  await world.fleet.run(lower)
  review(world.server.state, pullOf(world, "agent/1"), "CHANGES_REQUESTED", { body: "More." })
  await world.look(lower)
  world.again(lower, { "work.txt": "more\n" })
  await world.fleet.step(lower) // as far as the second snapshot
  const upper = world.submitOn(lower, { "work.txt": "upper\n" })
  expect(await world.fleet.run(upper)).toMatchObject({ state: "shipping", handbacks: 0 })
  await world.fleet.run(lower)
  expect(await world.fleet.run(upper)).toMatchObject({ state: "proposed" })
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})

test("when the branch below goes with its merge, it waits until Coppice sees the merge [42.18]", async () => {
  await using world = await ShippingTest.start()
  const lower = world.submit()
  await world.fleet.run(lower)
  const upper = world.submitOn(lower)
  world.pulls.merge(pullOf(world, "agent/1"), "squash")
  world.pulls.git("update-ref", "-d", "refs/heads/agent/1")
  const waiting = await world.fleet.run(upper)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "FORGE_UNAVAILABLE", attempts: 0 })
  expect(waiting.reason).toContain("origin has no branch agent/1")
  await world.fleet.run(lower)
  expect(await world.fleet.runThrough(upper)).toMatchObject({ state: "proposed" })
  expect(pullOf(world, "agent/2").base).toBe("main")
  expect(shown(world, "agent/2")).toEqual(["the upper work"])
})
