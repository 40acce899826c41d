import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../base/ids.ts"
import { rebaseToMain } from "../landing/rebase-to-main.ts"
import { makeReady } from "../tasks/make-ready.ts"
import { findTask } from "../tasks/rows/find.ts"
import { recordReady } from "../tasks/rows/task-repos/workspace.ts"
import { listWorkedOn } from "./submodules.ts"

const UPDATE = "git -c protocol.file.allow=always submodule --quiet update --init"

/** A target with the first of two commits of a library as `lib`, and a worktree where it is filled. */
class Story implements AsyncDisposable {
  readonly library = new TestRepo()
  readonly repo = new TestRepo()
  readonly it: LandingTest
  readonly worktree: string
  readonly one: Oid
  readonly two: Oid

  constructor(options: LandingTestOptions = {}) {
    const { library, repo } = this
    this.one = library.commit({ "s.txt": "one\n" }, "S1")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "lib")
    repo.commit({ "f.txt": "f\n" }, "add lib")
    this.two = library.commit({ "s.txt": "two\n" }, "S2")
    this.it = new LandingTest(repo, options)
    this.worktree = repo.worktree("feat")
    this.git(...UPDATE.split(" ").slice(1))
    this.inLib("fetch", "--quiet")
    repo.commit({ "a.txt": "a\n" }, "A1", this.worktree)
  }

  /** In the worktree. */
  git(...args: string[]): string {
    return this.repo.gitIn(this.worktree, ...args)
  }
  /** In its submodule. */
  inLib(...args: string[]): string {
    return this.repo.gitIn(join(this.worktree, "lib"), ...args)
  }
  /** A person moves the target's submodule. */
  bump(): void {
    this.repo.gitIn(join(this.repo.path, "lib"), "fetch", "--quiet")
    this.repo.gitIn(join(this.repo.path, "lib"), "checkout", "--quiet", this.two)
    this.repo.commit({}, "bump")
  }
  async land() {
    const base = this.repo.git("merge-base", "main", "feat") as Oid
    return await this.it.run(this.it.submit({ branch: "feat", base }))
  }
  /** The submodule's commit on the target. */
  published(): string {
    return this.repo.tip("main:lib")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
    this.library[Symbol.dispose]()
  }
}

test("a gate runs with the submodules that land, and leaves the agent's as they are [17.20]", async () => {
  const gate = 'cat lib/s.txt >> "$HOME/seen"; test -e fixed.txt || test ! -e a.txt'
  await using story = new Story({ gate, setup: UPDATE })
  story.bump()
  const handedBack = await story.land()
  expect(handedBack).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  expect([story.inLib("rev-parse", "HEAD"), story.git("status", "--porcelain")]).toEqual([
    story.one,
    "",
  ])
  story.repo.commit({ "fixed.txt": "" }, "fix", story.worktree)
  story.it.resubmit(handedBack.id)
  expect(await story.it.run(handedBack.id)).toMatchObject({ state: "landed" })
  expect(story.published()).toBe(story.two)
  expect(readFileSync(join(story.repo.folder, "seen"), "utf8")).not.toContain("one")
})

test("a gate runs in the agent's worktree where its submodules are those that land", async () => {
  await using story = new Story({ gate: 'pwd > "$HOME/where"; cat lib/s.txt >> "$HOME/where"' })
  story.inLib("checkout", "--quiet", story.two)
  story.git("commit", "--quiet", "--all", "--message", "the agent's bump")
  story.repo.commit({ "m.txt": "m\n" }, "M1")
  expect(await story.land()).toMatchObject({ state: "landed" })
  const where = readFileSync(join(story.repo.folder, "where"), "utf8")
  expect(where).toBe(`${story.worktree}\ntwo\n`)
  expect(story.published()).toBe(story.two)
})

test.each<LandingTestOptions>([{}, { setup: "true" }])(
  "red work that moves a submodule which no set-up fills goes back to its agent: %j [20.5]",
  async (options) => {
    await using story = new Story({ ...options, gate: "grep two lib/s.txt && test ! -e a.txt" })
    story.inLib("checkout", "--quiet", story.two)
    story.git("commit", "--quiet", "--all", "--message", "the agent's bump")
    expect(await story.land()).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  },
)

test.each([
  ["left as it is", []],
  ["staged with the rest", ["add", "--all"]],
])(
  "a submodule that a rebase left behind is not the agent's work: %s [17.21]",
  async (_, stage) => {
    await using story = new Story({ gate: false })
    story.bump()
    story.git("rebase", "--quiet", "main")
    story.repo.write({ "left.txt": "left\n" }, story.worktree)
    if (stage.length > 0) story.git(...stage)
    expect(await story.land()).toMatchObject({ state: "landed" })
    expect(story.published()).toBe(story.two)
    expect(story.repo.git("show", "main:left.txt")).toBe("left")
  },
)

test("a submodule that the agent moved goes back to it, also one that is where it was before [17.21]", async () => {
  for (const isBack of [false, true]) {
    await using story = new Story({ gate: false })
    story.inLib("checkout", "--quiet", story.two)
    if (isBack) {
      story.git("commit", "--quiet", "--all", "--message", "a bump")
      story.inLib("checkout", "--quiet", story.one)
    }
    const { state, reason } = await story.land()
    expect(state).toBe("handed_back")
    expect(reason).toContain("lib, a submodule at another commit than the branch records")
  }
})

test("a submodule that the agent committed, and staged again after a reset, lands [17.21]", async () => {
  await using story = new Story({ gate: false })
  story.inLib("checkout", "--quiet", story.two)
  story.git("commit", "--quiet", "--all", "--message", "a bump")
  story.git("reset", "--quiet", "--soft", "HEAD~1")
  expect(await story.land()).toMatchObject({ state: "landed" })
  expect(story.published()).toBe(story.two)
})

test("a staged submodule that was at the target's commit, and is at an earlier one again, goes back to the agent [17.21]", async () => {
  await using story = new Story({ gate: false })
  story.bump()
  story.git("rebase", "--quiet", "main")
  story.inLib("checkout", "--quiet", story.two)
  story.inLib("checkout", "--quiet", story.one)
  story.git("add", "lib")
  const { state, reason } = await story.land()
  expect(state).toBe("handed_back")
  expect(reason).toContain("lib, a submodule at another commit than the branch records")
  expect(story.git("rev-parse", ":lib")).toBe(story.one)
})

test("changes within a submodule that was left behind go back to the agent [17.21]", async () => {
  await using story = new Story({ gate: false })
  story.bump()
  story.git("rebase", "--quiet", "main")
  story.repo.write({ "s.txt": "the agent's\n" }, join(story.worktree, "lib"))
  const { state, reason } = await story.land()
  expect(state).toBe("handed_back")
  expect(reason).toContain("lib, a submodule with changes that it has not committed")
  expect(readFileSync(join(story.worktree, "lib/s.txt"), "utf8")).toBe("the agent's\n")
})

test("rebase_to_main names the submodules that it leaves behind; committed, they go back to the agent [9.3, 2.13]", async () => {
  await using story = new Story({ gate: false })
  const { it, repo } = story
  const task = it.begin({ branch: "feat", base: repo.git("merge-base", "main", "feat") as Oid })
  story.bump()
  const rebase = async () => {
    const found = findTask(it.db, task)!
    return await rebaseToMain(it.context, found, found.repos[0]!)
  }
  expect(await rebase()).toMatchObject({ kind: "rebased", submodules: ["lib"] })
  expect(await rebase()).toMatchObject({ kind: "upToDate" })
  repo.commit({ "b.txt": "b\n" }, "A2", story.worktree)
  expect(repo.tip("feat:lib")).toBe(story.one)
  const handedBack = await it.run(it.request(task))
  expect(handedBack).toMatchObject({ state: "handed_back", outcome: "STALE_FILES" })
  story.inLib("checkout", "--quiet", story.two)
  repo.commit({}, "A3", story.worktree)
  it.resubmit(handedBack.id)
  expect(await it.run(handedBack.id)).toMatchObject({ state: "landed" })
  expect(story.published()).toBe(story.two)
})

const SETUP = `echo ran >> ../runs; ${UPDATE} --force`

/** The result of the next turn's set-up, and where the submodule is then. */
async function nextTurn(work: (story: Story) => void) {
  await using story = new Story({ setup: SETUP })
  const { it, repo, worktree } = story
  const task = it.begin({ branch: "feat", base: repo.git("merge-base", "main", "feat") as Oid })
  recordReady(it.db, { task, name: "app" })
  const ready = async () => {
    const found = findTask(it.db, task)!
    const workspace = { worktree, fresh: false, placed: [] }
    const one = { task: found, repo: found.repos[0]!, workspace }
    return await makeReady(it.context, one, new AbortController().signal)
  }
  await ready()
  work(story)
  const { setup } = await ready()
  const [own] = findTask(it.db, task)!.repos
  const runs = readFileSync(join(worktree, "../runs"), "utf8").split("\n").length - 1
  return {
    setup: setup?.outcome,
    runs,
    at: story.inLib("log", "-1", "--format=%s"),
    worked: await listWorkedOn(worktree, own!),
    left: existsSync(join(worktree, "lib/new.txt")),
  }
}

test("a set-up runs again after the submodules that the branch records have moved [28.5, 28.12]", async () => {
  const ended = await nextTurn((story) => {
    story.bump()
    story.git("rebase", "--quiet", "main")
  })
  expect(ended).toMatchObject({ setup: "passed", runs: 2, at: "S2", worked: [] })
})

test.each<[string, (story: Story) => void]>([
  ["moved", (story) => story.inLib("checkout", "--quiet", story.one)],
  [
    "committed in",
    ({ repo, worktree }) => void repo.commit({ "new.txt": "new\n" }, "L1", join(worktree, "lib")),
  ],
  [
    "changed",
    ({ repo, worktree }) => repo.write({ "s.txt": "the agent's\n" }, join(worktree, "lib")),
  ],
])("a set-up does not run again over a submodule that the agent %s [28.21]", async (_, how) => {
  const ended = await nextTurn((story) => {
    story.inLib("checkout", "--quiet", story.two)
    story.git("commit", "--quiet", "--all", "--message", "a bump")
    how(story)
  })
  expect(ended).toMatchObject({ setup: "reused", runs: 1, worked: ["lib"] })
})
