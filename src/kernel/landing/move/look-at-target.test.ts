import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef, type LandingId, type Oid } from "../../../base/ids.ts"
import { keepingGits } from "../../git/start/trace-commands.ts"
import { listEvents } from "../../store/events.ts"
import { findTask } from "../../tasks/rows/find.ts"
import { recordTask } from "../../tasks/rows/record.ts"
import { describeGone } from "../candidate/gone-target.ts"
import { addApproval, listApprovals } from "../rows/approvals.ts"
import { recordLanding } from "../rows/record.ts"
import { listSeenTargets, recordSeenTarget } from "../rows/seen-targets.ts"
import { lookAtTarget } from "./look-at-target.ts"

/** A task with one commit on `feat`, and a target with a recorded tip. */
async function begin(repo: TestRepo, it: LandingTest) {
  const worktree = repo.worktree("feat")
  const work = repo.commit({ "feat.txt": "bad\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  const look = async () => {
    for (const seen of listSeenTargets(it.db)) await lookAtTarget(it.db, seen, it.nowMs)
    const events = listEvents(it.db, { after: 0, limit: 1000 })
    return events
      .filter(({ type }) => type === "target.moved")
      .map(({ data, task }) => [task, data])
  }
  expect(await look()).toEqual([])
  return { id, work, look, worktree }
}

test("a target that an agent moves by update-ref is named once, with its task and the way back [2.6, 2.7]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "! grep bad feat.txt" })
  const { id, work, look, worktree } = await begin(repo, it)
  const from = it.tip("main")
  repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
  const [told] = await look()
  const { task } = it.landing(id)
  expect(told).toMatchObject([
    task,
    { repo: repo.path, target: "refs/heads/main", from, to: work, task, by: "c <c@example.com>" },
  ])
  expect((await look()).length, "once").toBe(1)
  const { undo, how } = listSeenTargets(it.db)[0]!.moved!
  expect(how).toContain("git update-ref")

  await it.run(id)
  // The next landing meets a red target, and gives the reason.
  repo.commit({ "other.txt": "o" }, "B1", repo.worktree("other"))
  const next = await it.run(it.submit({ branch: "other" }))
  expect(next).toMatchObject({ state: "waiting", outcome: "TARGET_RED" })
  expect(next.reason).toContain("moved past the gate")
  expect(next.reason).toContain(undo)

  repo.gitIn(repo.folder, ...undo.split(" ").slice(1))
  expect(it.tip("main")).toBe(from)
  expect((await look()).length).toBe(1)
  expect(listSeenTargets(it.db)).toMatchObject([{ tip: from, moved: null }])
})

test("a landing that brings the target back where an agent had put it clears the alarm", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { id, work, look, worktree } = await begin(repo, it)
  const from = it.tip("main")
  repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
  expect(await look()).toHaveLength(1)
  repo.gitIn(worktree, "update-ref", "refs/heads/main", from)
  repo.git("reset", "--quiet", "--hard")
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(await look()).toHaveLength(1)
  expect(listSeenTargets(it.db)).toMatchObject([{ tip: work, moved: null }])
})

/** Lands the task of `begin` and one more, with a look after each. */
async function landTwo(repo: TestRepo, it: LandingTest, { id, look }: Begun) {
  const commits: string[] = [it.tip("main")]
  for (const name of ["b", "c"]) {
    if (name === "c") repo.commit({ c: "c" }, "c", repo.worktree("c"))
    const landing = name === "c" ? it.submit({ branch: "c" }) : id
    expect(await it.run(landing)).toMatchObject({ outcome: "LANDED" })
    expect(await look()).toEqual([])
    commits.push(it.tip("main"))
  }
  return commits as [string, string, string]
}

type Begun = Awaited<ReturnType<typeof begin>>

test.each(["with", "without"])(
  "a target that moves back to an earlier landing raises an alarm, %s a reflog [2.8]",
  async (how) => {
    using repo = new TestRepo()
    if (how === "without") repo.git("config", "core.logAllRefUpdates", "false")
    await using it = new LandingTest(repo, { gate: false })
    const begun = await begin(repo, it)
    const { look } = begun
    const [, b, c] = await landTwo(repo, it, begun)
    if (how === "without") rmSync(join(repo.path, ".git/logs"), { recursive: true })
    repo.git("update-ref", "refs/heads/main", b)
    expect(await look()).toMatchObject([[expect.anything(), { from: c, to: b }]])
    expect(await look()).toHaveLength(1)
    expect(listSeenTargets(it.db)).toMatchObject([{ tip: b, moved: { from: c } }])
    repo.git("update-ref", "refs/heads/main", c)
    await look()
    expect(listSeenTargets(it.db)).toMatchObject([{ tip: c, moved: null }])
  },
)

test("an alarm stays when the target moves on to an earlier landing, even as that landing moved it [2.8]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const begun = await begin(repo, it)
  const { look } = begun
  const [a, b, c] = await landTwo(repo, it, begun)
  const moveTo = async (commit: string, ...options: string[]) => {
    repo.git("update-ref", ...options, "refs/heads/main", commit)
    await look()
    expect(listSeenTargets(it.db)).toMatchObject([{ moved: { from: c } }])
  }
  const reason = repo.git("log", "--walk-reflogs", "--format=%gs", "main").split("\n")[1]!
  expect(reason).toMatch(/^coppice: land task/)
  await moveTo(a)
  await moveTo(b)
  await moveTo(a)
  await moveTo(b, "-m", "merge b: Fast-forward")
  await moveTo(a)
  await moveTo(b, "-m", reason)
  repo.git("reset", "--quiet", "--hard")
  repo.commit({ d: "d" }, "d", repo.worktree("d"))
  expect(await it.run(it.submit({ branch: "d" }))).toMatchObject({ outcome: "LANDED" })
  await look()
  expect(listSeenTargets(it.db), "a landing on top of it").toMatchObject([{ moved: null }])
})

test("a later look that began earlier records nothing, and the move is announced once", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { look, worktree } = await begin(repo, it)
  const [before] = listSeenTargets(it.db)
  repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
  await look()
  const after = listSeenTargets(it.db)
  recordSeenTarget(it.db, before!, { ...before!, moved: null }, it.nowMs)
  await lookAtTarget(it.db, before!, it.nowMs)
  expect(listSeenTargets(it.db)).toEqual(after)
  expect(await look()).toHaveLength(1)
})

test.each<[string, (repo: TestRepo, worktree: string) => void]>([
  ["moves the target", () => {}],
  [
    "moves the target twice",
    (repo, worktree) => {
      repo.commit({ "more.txt": "m" }, "A2", worktree)
      repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
    },
  ],
  [
    "moves the target and amends",
    (repo, worktree) => void repo.gitIn(worktree, "commit", "--quiet", "--amend", "--message", "B"),
  ],
])(
  "a task whose agent %s waits for a person and names the move, and no later task does [2.11, 2.12]",
  async (_, then) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: false })
    const { id, worktree } = await begin(repo, it)
    repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
    then(repo, worktree)
    const reasonOf = async (landing: LandingId) => {
      expect(await it.run(landing)).toMatchObject({ outcome: "NO_CHANGES" })
      return findTask(it.db, it.landing(landing).task)?.reason?.text
    }
    expect(await it.run(id)).toMatchObject({ state: "in_review" })
    approve(it, id)
    expect(await reasonOf(id)).toContain("main of")
    repo.worktree("idle")
    expect(await reasonOf(it.submit({ branch: "idle" }))).toBe("nothing changed")
  },
)

test.each([true, false])(
  "an agent that moves the target and reverts that: the revert waits for a person [2.12] (approve: %s)",
  async (approved) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: false, approve: approved })
    const { id, work, worktree, look } = await begin(repo, it)
    repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
    await look()
    repo.gitIn(worktree, "revert", "--no-edit", "HEAD")
    const head = repo.gitIn(worktree, "rev-parse", "HEAD")
    expect(await it.run(id)).toMatchObject({ state: "handed_back", outcome: "STALE_FILES" })
    it.resubmit(id)
    expect(await it.run(id)).toMatchObject({ state: "in_review", repos: [{ head, base: work }] })
    expect(it.tip("main")).toBe(work)
    approve(it, id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.files()).toEqual({ "README.md": "hello" })
  },
)

test("an approval from before the move does not count [2.12]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { id, work: head, worktree, look } = await begin(repo, it)
  const { task, repos } = it.landing(id)
  addApproval(it.db, { task, name: repos[0]!.name, head, base: it.tip("main") }, it.nowMs)
  repo.gitIn(worktree, "update-ref", "refs/heads/main", "HEAD")
  await look()
  expect(await it.run(id)).toMatchObject({ state: "in_review" })
  approve(it, id)
  expect(await it.run(id)).toMatchObject({ outcome: "NO_CHANGES" })
})

function approve(it: LandingTest, id: LandingId): void {
  const landing = it.landing(id)
  for (const { name, head, base } of landing.repos)
    addApproval(it.db, { task: landing.task, name, head: head!, base: base! }, it.nowMs)
  recordLanding(it.db, landing, { event: "approved" }, it.nowMs)
  recordTask(it.db, it.task(id), { event: "approved" }, it.nowMs)
}

test("a move by one landing asks git for nothing [2.6]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const { id, look } = await begin(repo, it)
  await it.run(id)
  const gits: string[] = []
  expect(
    await keepingGits(
      (lines) => gits.push(...lines),
      () => look(),
    ),
  ).toEqual([])
  expect(gits).toEqual([])
  expect(listSeenTargets(it.db)).toMatchObject([{ tip: it.tip("main"), moved: null }])
})

test.each<[string, (repo: TestRepo) => void]>([
  ["commits", (repo) => void repo.commit({ "m.txt": "m" }, "M1")],
  [
    "pulls",
    (repo) => {
      const other = repo.clone("other")
      repo.commit({ "m.txt": "m" }, "M1", other)
      repo.git("pull", "--quiet", other, "main")
    },
  ],
  [
    "merges by hand",
    (repo) => {
      repo.commit({ "m.txt": "m" }, "M1", repo.worktree("topic"))
      repo.git("merge", "--quiet", "topic")
    },
  ],
])("a person who %s on the target raises no alarm [2.9]", async (_, act) => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { look } = await begin(repo, it)
  act(repo)
  expect(await look()).toEqual([])
})

test("a person's commit with which git begins the reflog raises no alarm, as in a clone with a bare repository [2.9]", async () => {
  using repo = new TestRepo()
  repo.git("config", "core.logAllRefUpdates", "false")
  rmSync(join(repo.path, ".git/logs"), { recursive: true })
  await using it = new LandingTest(repo, { gate: false })
  const { look } = await begin(repo, it)
  repo.git("config", "core.logAllRefUpdates", "true")
  repo.commit({ "m.txt": "m" }, "M1")
  expect(await look()).toEqual([])
  repo.commit({ "m.txt": "n" }, "M2")
  expect(await look()).toEqual([])
})

test("the commands that take a move back name the linked worktree whose files went along [2.7]", async () => {
  using repo = new TestRepo()
  repo.commit({ "m.txt": "m" }, "M1")
  await using it = new LandingTest(repo, { gate: false })
  const { look } = await begin(repo, it)
  repo.git("checkout", "--quiet", "-b", "away")
  const linked = join(repo.folder, "linked")
  repo.git("worktree", "add", "--quiet", linked, "main")
  repo.gitIn(linked, "reset", "--quiet", "--hard", "main~1")
  expect(await look()).toHaveLength(1)
  const { undo } = listSeenTargets(it.db)[0]!.moved!
  repo.gitIn(repo.folder, ...undo.split(" ").slice(1))
  expect(repo.gitIn(linked, "status", "--porcelain")).toBe("")
  expect(existsSync(join(linked, "m.txt"))).toBe(true)
})

test("a landing raises no alarm, and clears the one before it [2.9]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { id, look } = await begin(repo, it)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(await look()).toEqual([])
})

test.each<[string, (repo: TestRepo, worktree: string) => void, string]>([
  [
    "made symbolic",
    (repo) => repo.git("symbolic-ref", "refs/heads/main", "refs/heads/feat"),
    "symbolic ref to refs/heads/feat",
  ],
  [
    "written as a file, without its reflog",
    (repo, worktree) => {
      const head = repo.gitIn(worktree, "rev-parse", "HEAD")
      writeFileSync(join(repo.path, ".git/refs/heads/main"), `${head}\n`)
      rmSync(join(repo.path, ".git/logs/refs/heads/main"))
    },
    "without an entry",
  ],
  ["moved back", (repo) => repo.git("reset", "--quiet", "--hard", "main~1"), "does not contain"],
  [
    "pushed to",
    (repo, worktree) => repo.gitIn(worktree, "push", "-q", ".", "HEAD:main"),
    "commits of task",
  ],
  ["renamed", (repo) => repo.git("branch", "-m", "main", "trunk"), "by being renamed to trunk"],
  ["deleted", (repo) => repo.git("update-ref", "-d", "refs/heads/main"), "deleted"],
])(
  "a target that is %s is named, and its commands take it back [2.7, 2.8]",
  async (_, act, how) => {
    using repo = new TestRepo()
    repo.commit({ "m.txt": "m" }, "M1")
    await using it = new LandingTest(repo, { gate: false })
    const { look, worktree } = await begin(repo, it)
    const from = it.tip("main")
    repo.git("config", "receive.denyCurrentBranch", "ignore")
    act(repo, worktree)
    expect(await look()).toMatchObject([
      [expect.toSatisfy(() => true), { from, how: expect.stringContaining(how) }],
    ])
    const { undo } = listSeenTargets(it.db)[0]!.moved!
    for (const command of undo.split("; ")) repo.gitIn(repo.folder, ...command.split(" ").slice(1))
    expect(it.tip("main")).toBe(from)
    expect((await look()).length, "nothing new").toBe(1)
    expect(listSeenTargets(it.db)).toMatchObject([{ moved: null }])
  },
)

test("a gone target without a reflog is known by the commit where it was last seen [19.7]", async () => {
  using repo = new TestRepo()
  repo.git("config", "core.logAllRefUpdates", "false")
  await using it = new LandingTest(repo, { gate: false })
  const { id, look } = await begin(repo, it)
  rmSync(join(repo.path, ".git/logs"), { recursive: true })
  repo.git("branch", "-m", "main", "trunk")
  await look()
  const gone = "the target main no longer exists"
  expect(await it.run(id)).toMatchObject({
    state: "waiting",
    outcome: "TARGET_GONE",
    reason: `${gone}; trunk stands at the same commit`,
  })
  repo.git("branch", "twin", "trunk")
  expect((await describeGone(it.db, { path: repo.path, target: branchRef("main") })).reason).toBe(
    gone,
  )
})

test("an approval from before a move that names no task or another one does not count [2.12]", async () => {
  for (const isAbove of [true, false]) {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { approve: true, gate: false })
    const { id, work: head, worktree, look } = await begin(repo, it)
    const from = it.tip("main")
    expect(await it.run(id)).toMatchObject({ state: "in_review" })
    approve(it, id)
    const on = isAbove ? "feat" : "main"
    const to = repo.gitIn(worktree, "commit-tree", "-p", on, "-m", "x", "HEAD^{tree}")
    if (isAbove) it.submit({ branch: "upper", worktree: repo.worktree("upper", to as Oid) })
    repo.gitIn(worktree, "update-ref", "refs/heads/main", to)
    expect(await look()).toMatchObject([[isAbove ? 2 : null, { to }]])
    expect(listApprovals(it.db, { task: it.landing(id).task, name: "app", head })).toEqual([])
    const again = await it.run(id)
    expect(again).toMatchObject({ state: "in_review", repos: [{ base: from }] })
    expect(again.reason).toContain("moved past the gate")
  }
})

test("the work of a task that another one is stacked on waits for a person after a move to that one [2.12]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const { id, look } = await begin(repo, it)
  const upper = repo.worktree("upper", it.tip("feat"))
  repo.commit({ "u.txt": "u" }, "U1", upper)
  it.submit({ branch: "upper", worktree: upper })
  repo.gitIn(upper, "update-ref", "refs/heads/main", "HEAD")
  await look()
  expect(await it.run(id)).toMatchObject({ state: "in_review" })
})
