/** Work is pushed, and its pull request opened, once, whatever happens in between. */
import { expect, test } from "vitest"
import { Crash } from "../../../test/support/landing.ts"
import { ShippingTest, TOKEN } from "../../../test/support/shipping.ts"
import type { LandingId } from "../../base/ids.ts"
import { listDue } from "../../kernel/landing/rows/list.ts"

test("the branch is pushed and one pull request opened, as configured [42.1]", async () => {
  const pullRequest = {
    title: "{title} ({task})",
    body: "Says: {summary}",
    labels: ["by-agent"],
    reviewers: ["ada"],
    isDraft: true,
  }
  await using world = await ShippingTest.start({ pullRequest })
  const id = world.submit()
  const landing = await world.fleet.run(id)
  expect(landing).toMatchObject({ state: "proposed", outcome: null })
  expect(world.fleet.task(id).state).toBe("reviews_in_progress")
  expect(world.pull).toMatchObject({
    head: "agent/1",
    base: "main",
    isDraft: true,
    reviewers: ["ada"],
  })
  expect(world.pull).toMatchObject({ title: "Do the work (1)", body: "Says: " })
  expect(world.server.state.issues.find(1)?.labels).toEqual(["by-agent"])
  const head = world.fleet.tip("agent/1")
  expect(world.pulls.tip("agent/1")).toBe(head)
  expect(world.row(id)).toMatchObject({ number: 1, pushed: head, pushing: null, state: "open" })
  expect(world.pulls.tip("main")).toBe(world.fleet.tip("main"))
  expect(JSON.stringify(world.fleet.trace(id))).not.toContain(TOKEN)
})

test("in its worktree the branch tracks what was pushed, until both are gone [42.27]", async () => {
  await using world = await ShippingTest.start({ pullRequest: { deletesBranch: true } })
  const { repo, fleet } = world
  repo.git("branch", "other", "main")
  const before = repo.git("config", "--list", "--local")
  const id = world.submit()
  await fleet.run(id)
  const { worktree } = fleet.task(id).repos[0]!
  const status = repo.gitIn(worktree!, "status", "--short", "--branch")
  expect(status).toBe("## agent/1...origin/agent/1")
  world.pulls.merge(world.pull, "squash")
  await fleet.run(id)
  expect(repo.git("config", "--list", "--local")).toBe(before)
  expect(repo.git("for-each-ref", "refs/remotes/origin/agent")).toBe("")
})

test("a branch that tracks another one goes on to do so [42.27]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  world.repo.git("branch", "--set-upstream-to=origin/main", "agent/1")
  await world.fleet.run(id)
  const upstream = world.repo.git("rev-parse", "--abbrev-ref", "agent/1@{upstream}")
  expect(upstream).toBe("origin/main")
})

test.each([
  "shipping: push recorded",
  "shipping: pushed",
  "shipping: opened",
  "shipping: done, not recorded",
])("a program that dies at `%s` pushes once and opens one pull request [42.2]", async (point) => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  let dies = true
  world.fleet.onPoint = (name) => {
    if (name !== point || !dies) return
    dies = false
    throw new Crash(name)
  }
  expect(await world.fleet.run(id)).toMatchObject({ state: "proposed" })
  expect(dies).toBe(false)
  expect(world.pull.number).toBe(1)
  expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("agent/1"))
})

test("a pull request whose answer was lost is found, and no second one opened [42.2]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  world.server.fail({ when: ({ method }) => method === "POST", times: 1, how: "lose" })
  expect(await world.fleet.runThrough(id)).toMatchObject({ state: "proposed" })
  expect(world.pull.number).toBe(1)
})

test("one that is merged right after the target was fetched is not followed by a second one [42.2]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  await world.fleet.run(id)
  world.fleet.pauseAndResume(id)
  const when = ({ method, path }: { readonly method: string; readonly path: string }) => {
    const isRead = method === "GET" && path.endsWith("/pulls/1")
    if (isRead && world.pull.state === "open") world.pulls.merge(world.pull, "squash")
    return false
  }
  world.server.fail({ when, times: 1, how: "drop" })
  const landing = await world.fleet.run(id)
  expect(world.pulls.all.map(({ number }) => number)).toEqual([1])
  expect(landing).toMatchObject({ state: "landed" })
})

test.each([
  { status: 503, body: { message: "down" } },
  { status: 429, headers: { "retry-after": "40" }, body: { message: "slow down" } },
])(
  "a forge that answers $status is asked again later, with its words in the reason [42.3]",
  async (answer) => {
    await using world = await ShippingTest.start()
    const id = world.submit()
    world.server.fail({ times: 1, how: answer })
    const waiting = await world.fleet.run(id)
    expect(waiting).toMatchObject({ state: "waiting", outcome: "FORGE_UNAVAILABLE", attempts: 0 })
    expect(waiting.reason).toContain("127.0.0.1")
    const asked = world.server.served.length
    if (answer.status === 429) expect(waiting.wakeAtMs).toBe(world.fleet.nowMs + 40_000)
    expect(await world.fleet.runThrough(id)).toMatchObject({ state: "proposed" })
    expect(world.server.served.length).toBeGreaterThan(asked)
  },
)

test("a limit that lasts longer than a minute is waited for, without a look in between [42.3]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  const headers = { "retry-after": "600" }
  world.server.fail({ times: 1, how: { status: 429, headers, body: { message: "slow down" } } })
  await world.fleet.run(id)
  expect(listDue(world.fleet.db, world.fleet.nowMs + 599_000)).toEqual([])
  expect(listDue(world.fleet.db, world.fleet.nowMs + 1_000)).toEqual([])
  expect(listDue(world.fleet.db, world.fleet.nowMs + 600_000)).toHaveLength(1)
})

test("C18: a branch that another person pushed to is never overwritten [42.4]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  await world.fleet.run(id)
  const theirs = world.pushAsOther("agent/1", { "theirs.txt": "theirs\n" })
  world.server.state.pulls.runs.push({
    name: "ci",
    commit: theirs,
    conclusion: "failure",
    summary: "red",
  })
  await world.look(id)
  expect(world.fleet.landing(id).state).toBe("proposed") // a red commit of theirs is not the agent's

  world.repo.commit({ "more.txt": "more\n" }, "more", `${world.repo.folder}/worktrees/agent-1`)
  world.fleet.pauseAndResume(id)
  const failed = await world.fleet.run(id)
  expect(failed).toMatchObject({ state: "failed", outcome: "PUSH_FAILED" })
  expect(failed.reason).toContain("has commits that are not in this work")
  expect(world.fleet.task(id)).toMatchObject({ state: "stuck", reason: { code: "push_failed" } })
  expect(world.pulls.tip("agent/1")).toBe(theirs)
})

test("a commit that a person pushes between the look at the branch and the push stays [42.4]", async () => {
  await using world = await ShippingTest.start()
  const id = world.submit()
  await world.fleet.run(id)
  world.repo.commit({ "more.txt": "more\n" }, "more", `${world.repo.folder}/worktrees/agent-1`)
  world.fleet.pauseAndResume(id)
  let theirs = ""
  world.fleet.onPoint = (name) => {
    if (name !== "shipping: push recorded" || theirs !== "") return
    theirs = world.pushAsOther("agent/1", { "theirs.txt": "theirs\n" })
  }
  expect(await world.fleet.runThrough(id)).toMatchObject({ outcome: "PUSH_FAILED" })
  expect(theirs).not.toBe("")
  expect(world.pulls.tip("agent/1")).toBe(theirs)
})

test("a branch of that name with other work is left as it is [42.4]", async () => {
  await using world = await ShippingTest.start()
  world.repo.git("branch", "taken", "main")
  world.repo.git("push", "--quiet", "origin", "taken:agent/1")
  world.repo.git("branch", "--delete", "--force", "taken")
  const theirs = world.pushAsOther("agent/1", { "theirs.txt": "theirs\n" })
  const id = world.submit()
  expect(await world.fleet.run(id)).toMatchObject({ state: "failed", outcome: "PUSH_FAILED" })
  expect(world.pulls.tip("agent/1")).toBe(theirs)
  expect(world.pulls.all).toEqual([])
})

test("the first push moves no branch that has only commits of the target [42.4]", async () => {
  await using world = await ShippingTest.start()
  world.repo.git("push", "--quiet", "origin", "main:refs/heads/agent/1")
  const id = world.submit()
  expect(await world.fleet.run(id)).toMatchObject({
    state: "failed",
    outcome: "PUSH_FAILED",
    reason: expect.stringContaining("branch -m <name>"),
  })
  expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("main"))
  expect(world.row(id)).toMatchObject({ branch: null, pushed: null, created: false })
})

/** The task of `submit` is merged by a merge commit, and the next one gets the same branch name. */
async function submitAgain(world: ShippingTest): Promise<LandingId> {
  const id = world.submit()
  await world.fleet.run(id)
  world.pulls.merge(world.pull, "merge")
  expect(await world.fleet.run(id)).toMatchObject({ state: "landed" })
  await world.fleet.settled()
  world.repo.git("pull", "--quiet", "--ff-only", "origin", "main")
  return world.submit({ "second.txt": "second\n" })
}

test("a branch that an earlier task left at the remote is used again, also across a crash [42.4]", async () => {
  const pullRequest = { deletesBranch: false }
  await using world = await ShippingTest.start({ pullRequest })
  const id = await submitAgain(world)
  world.fleet.onPoint = (name) => {
    if (name !== "shipping: push recorded") return
    world.fleet.onPoint = () => {}
    throw new Crash(name)
  }
  expect(await world.fleet.run(id)).toMatchObject({ state: "proposed" })
  expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("agent/1"))
  pullRequest.deletesBranch = true
  world.pulls.merge(world.pulls.all[1]!, "merge")
  expect(await world.fleet.run(id)).toMatchObject({ state: "landed", reason: null })
  expect(world.pulls.tip("agent/1")).toBe("")
})

test("a branch that a person has moved since an earlier task is left as it is [42.4]", async () => {
  await using world = await ShippingTest.start()
  const id = await submitAgain(world)
  world.repo.git("push", "--quiet", "origin", "main:refs/heads/agent/1")
  const reason = expect.stringContaining("branch -m <name>")
  expect(await world.fleet.run(id)).toMatchObject({ outcome: "PUSH_FAILED", reason })
  expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("main"))
})

test("after a refused first push the branch may be renamed, and a branch of that name stays a person's [42.4]", async () => {
  for (const isThere of [false, true]) {
    await using world = await ShippingTest.start()
    const id = world.submit()
    world.pulls.refusePushes("names start with feature/")
    expect(await world.fleet.run(id)).toMatchObject({ state: "waiting", outcome: "PUSH_FAILED" })
    world.pulls.takePushes()
    world.repo.git("branch", "--move", "agent/1", "feature/x")
    if (isThere) world.repo.git("push", "--quiet", "origin", "feature/x")
    expect(await world.fleet.runThrough(id)).toMatchObject({ state: "proposed" })
    const pushed = world.fleet.tip("feature/x")
    expect([world.pulls.tip("feature/x"), world.pulls.tip("agent/1")]).toEqual([pushed, ""])
    expect(world.row(id)).toMatchObject({ branch: "feature/x", pushed, created: !isThere })
    expect(world.pull.head).toBe("feature/x")
  }
})

test.each([
  { point: "shipping: pushed", how: "arrived keeps", branch: "agent/1" },
  { point: "shipping: push recorded", how: "did not arrive loses", branch: "feature/x" },
])(
  "a branch whose push was cut off and $how its name at the remote when it is renamed [42.4]",
  async ({ point, branch }) => {
    await using world = await ShippingTest.start()
    const id = world.submit()
    let isCut = false
    world.fleet.onPoint = (name) => {
      if (name !== point || isCut) return
      isCut = true
      throw new Crash(name)
    }
    while (!isCut) await world.fleet.step(id)
    world.repo.git("branch", "--move", "agent/1", "feature/x")
    if (branch === "feature/x")
      world.repo.git("push", "--quiet", "origin", "main:refs/heads/agent/1")
    world.fleet.pauseAndResume(id)
    expect(await world.fleet.run(id)).toMatchObject({ state: "proposed" })
    expect(world.pull.head).toBe(branch)
    const pushed = world.fleet.tip("feature/x")
    expect(world.pulls.tip(branch)).toBe(pushed)
    expect(world.row(id)).toMatchObject({ branch, pushed, created: true })
  },
)

test.each([
  { onPushFailure: "fail", state: "stuck", reason: "push_failed", tries: 1 },
  { onPushFailure: "retry", state: "stuck", reason: "push_failed", tries: 9 },
  { onPushFailure: "warn", state: "complete", reason: "not_pushed", tries: 1 },
] as const)(
  "C18: a refused push with `$onPushFailure` ends as $state, in the remote's words [42.5]",
  async (given) => {
    await using world = await ShippingTest.start({ onPushFailure: given.onPushFailure })
    world.pulls.refusePushes("protected branch: ask ops")
    const id = world.submit()
    const landing = await world.fleet.runThrough(id, 10)
    expect(landing.attempts).toBe(given.tries)
    expect(world.fleet.task(id)).toMatchObject({
      state: given.state,
      reason: { code: given.reason },
    })
    expect(world.fleet.task(id).reason?.text).toContain("protected branch: ask ops")
    expect(world.fleet.task(id).repos[0]?.worktree).not.toBeNull()
    expect(world.pulls.all).toEqual([])
  },
)

test("a remote that an agent has turned elsewhere gets nothing [42.6]", async () => {
  await using world = await ShippingTest.start()
  const elsewhere = world.repo.clone("elsewhere.git", "--bare")
  const id = world.submit()
  world.repo.git("config", `url.${elsewhere}.insteadOf`, world.origin)
  const failed = await world.fleet.run(id)
  expect(failed).toMatchObject({ state: "failed", outcome: "PUSH_FAILED" })
  expect(failed.reason).toContain("leads elsewhere")
  expect(world.repo.gitIn(elsewhere, "branch", "--list", "agent/1")).toBe("")
  expect(world.pulls.tip("agent/1")).toBe("")
})

test.each([
  { name: "another push address", key: () => "remote.origin.pushurl" },
  { name: "a rewritten address", key: (to: string) => `url.${to}.insteadOf` },
  { name: "an address rewritten for pushes", key: (to: string) => `url.${to}.pushInsteadOf` },
])(
  "a remote that an agent turns elsewhere at the moment of the push gets nothing: $name [42.6]",
  async ({ name, key }) => {
    await using world = await ShippingTest.start()
    const elsewhere = world.repo.clone("elsewhere.git", "--bare")
    const id = world.submit()
    world.fleet.onPoint = (point) => {
      if (point !== "shipping: push recorded") return
      const value = name.startsWith("another") ? elsewhere : world.origin
      world.repo.git("config", key(elsewhere), value)
      world.repo.git("config", "--add", `url.${elsewhere}.insteadOf`, "") // any address at all
    }
    expect(await world.fleet.run(id)).toMatchObject({ state: "proposed" })
    expect(world.repo.gitIn(elsewhere, "branch", "--list", "agent/1")).toBe("")
    expect(world.pulls.tip("agent/1")).toBe(world.fleet.tip("agent/1"))
  },
)

test("work that the target has already opens no pull request", async () => {
  await using world = await ShippingTest.start()
  const worktree = world.repo.worktree("agent/1")
  const id = world.fleet.submit({ branch: "agent/1", worktree, land: "pr" })
  expect(await world.fleet.run(id)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
  expect(world.fleet.task(id)).toMatchObject({ state: "complete", reason: { code: "no_changes" } })
  expect(world.pulls.all).toEqual([])
})
