import { existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { LandingId, TaskId } from "../../../base/ids.ts"
import { land } from "../../tasks/actions/land.ts"
import { findTask } from "../../tasks/rows/find.ts"
import { recordTask, type TaskChange } from "../../tasks/rows/record.ts"

const LEAVES = "echo edited >> f.txt; rm g.txt; git rm -q --cached h.txt; echo new > new.txt"
/** Red on the work alone, so that it runs on the target too. */
const RED = `${LEAVES}; test ! -f feat.txt || test -f late.txt`

class Story implements AsyncDisposable {
  readonly options: {
    gate: string | false
    gateWrites: readonly string[]
    setup?: string
    lockTimeoutMs?: number
  }
  readonly repo = new TestRepo()
  readonly it: LandingTest
  readonly worktree: string
  readonly id: LandingId

  constructor(gate: string) {
    this.options = { gate, gateWrites: ["new.txt"] }
    this.it = new LandingTest(this.repo, this.options)
    this.repo.commit({ "f.txt": "f", "g.txt": "g", "h.txt": "h" }, "M0")
    this.worktree = this.repo.worktree("feat")
    this.repo.commit({ "feat.txt": "feat" }, "A1", this.worktree)
    this.id = this.it.submit({ branch: "feat" })
    this.repo.commit({ "m.txt": "m" }, "M1")
  }

  /** The program dies when the gate has run for the `nth` time; its leftovers are in the worktree. */
  async cutOff(nth: number, at = "gating: gate ran"): Promise<void> {
    let ran = 0
    this.it.onPoint = (name) => {
      if (name === at && ++ran === nth) throw new Crash()
    }
    while (ran < nth) await this.it.step(this.id)
    this.it.onPoint = () => {}
    expect(this.it.landing(this.id).state).toBe("gating")
  }

  /** Another process commits one file of its own. */
  commitLate(): void {
    this.repo.write({ "late.txt": "late" }, this.worktree)
    this.repo.gitIn(this.worktree, "add", "late.txt")
    this.repo.gitIn(this.worktree, "commit", "--quiet", "--only", "--message=LATE", "late.txt")
  }

  record(change: TaskChange): void {
    const task = findTask(this.it.db, this.it.landing(this.id).task)!
    recordTask(this.it.db, task, change, this.it.nowMs)
  }

  status = () => this.repo.gitIn(this.worktree, "status", "--porcelain")

  async expectLanded(subjects: readonly string[], own: readonly string[]): Promise<void> {
    expect(await this.it.run(this.id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(this.it.history()).toEqual(["commit", "M0", ...subjects])
    const files = this.it.files()
    expect(Object.keys(files)).toEqual(["README.md", "f.txt", "feat.txt", "g.txt", "h.txt", ...own])
    expect([files["f.txt"], files["feat.txt"]]).toEqual(["f", "feat"])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test.each([
  ["", LEAVES, 1],
  [" on the target", RED, 2],
])(
  "a gate is cut off%s, then another process commits: the commit lands, the gate's leftovers do not [3.2]",
  async (_, gate, nth) => {
    await using story = new Story(gate)
    await story.cutOff(nth)
    expect(story.status()).not.toBe("")
    story.commitLate()
    await story.expectLanded(["M1", "A1", "LATE"], ["late.txt", "m.txt"])
  },
)

test.each([
  ["", LEAVES, 1],
  [" on the target", RED, 2],
])(
  "a gate is cut off%s and then switched off: a later snapshot does not take its leftovers [3.2]",
  async (_, gate, nth) => {
    await using story = new Story(gate)
    await story.cutOff(nth)
    story.options.gate = false
    story.it.onPoint = (name) => {
      if (name !== "publishing: looked") return
      story.it.onPoint = () => {}
      story.repo.commit({ "n.txt": "n" }, "M2")
    }
    await story.expectLanded(["M1", "M2", "A1"], ["m.txt", "n.txt"])
  },
)

test("a gate is cut off, then another process commits, and the task is paused: the worktree has no leftovers [3.2]", async () => {
  await using story = new Story(LEAVES)
  await story.cutOff(1)
  story.commitLate()
  story.record({ event: "paused" })
  expect(await story.it.run(story.id)).toMatchObject({ state: "paused" })
  expect(story.status()).toBe("")
  expect(story.repo.gitIn(story.worktree, "log", "-1", "--format=%s")).toBe("LATE")
})

test("set-up before a gate is cut off, then another process commits: its leftovers do not land [3.2]", async () => {
  await using story = new Story("true")
  story.options.setup = "test -f ../go || { touch ../runs; sleep 60; }"
  const abort = new AbortController()
  const run = story.it.run(story.id, abort.signal)
  await waitFor("set-up to run", () => existsSync(join(story.worktree, "../runs")))
  abort.abort()
  expect(await run).toMatchObject({ state: "gating" })
  story.repo.write({ "f.txt": "edited" }, story.worktree) // as a killed program leaves it
  story.commitLate()
  writeFileSync(join(story.worktree, "../go"), "")
  await story.expectLanded(["M1", "A1", "LATE"], ["late.txt", "m.txt"])
})

test.each([
  ["", "git commit -qam GATE", 1],
  [" on the target", "git commit -qam GATE; test ! -f feat.txt", 2],
  [" on another branch", "git checkout -q -b own; git commit -qam GATE", 1],
])(
  "a gate that commits%s is cut off: its commit is saved and does not land [3.2]",
  async (_, gate, nth) => {
    await using story = new Story(`echo edited >> f.txt; ${gate}`)
    await story.cutOff(nth, "gating: gate ended")
    story.options.gate = false
    await story.expectLanded(["M1", "A1"], ["m.txt"])
    expect(story.repo.git("log", "--all", "--format=%s")).toContain("GATE")
  },
)

/** Begins a merge of a branch that conflicts with the work. */
const MERGES: Readonly<Record<string, (story: Story) => void>> = {
  "on another branch": ({ repo, worktree }) => {
    repo.gitIn(worktree, "checkout", "--quiet", "-b", "other", "main~1")
    repo.commit({ "feat.txt": "other" }, "OTHER", worktree)
    repo.gitIn(worktree, "merge", "feat")
  },
  "on the candidate itself": ({ repo, worktree }) => {
    repo.commit({ "feat.txt": "other" }, "OTHER", repo.worktree("other"))
    repo.gitIn(worktree, "merge", "other")
  },
}

test.each(Object.entries(MERGES))(
  "a merge %s that began after a gate was cut off stays as it is",
  async (_, merge) => {
    await using story = new Story(LEAVES)
    await story.cutOff(1)
    story.repo.gitIn(story.worktree, "reset", "--quiet", "--hard")
    expect(() => merge(story)).toThrow()
    const before = story.status()
    expect(before).toContain("AA feat.txt")
    expect(await story.it.run(story.id)).toMatchObject({
      state: "handed_back",
      outcome: "WORKTREE_ERROR",
    })
    expect(story.status()).toBe(before)
  },
)

test("a gate is cut off, and the landing has to wait for its worktree: the leftovers do not land later [3.2]", async () => {
  await using story = new Story(LEAVES)
  story.options.lockTimeoutMs = 10
  await story.cutOff(1)
  const { it, id, worktree } = story
  const turn = await it.context.taskLock.worktrees.share([worktree], {
    task: 0 as TaskId,
    sinceMs: it.nowMs,
    signal: new AbortController().signal,
  })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  turn.release()
  it.wake(id)
  await story.expectLanded(["M1", "A1"], ["m.txt"])
})

test.each([
  ["with commits of its own", "git -C nested -c user.name=a -c user.email=a commit -qm OWN", false],
  ["without commits", "true", true],
])(
  "a gate is cut off with a nested repository %s: it lands, or names the folder until it is away [3.2, 4.1]",
  async (_, commit, lands) => {
    const nested = "git init -q nested && echo own > nested/own.txt && git -C nested add ."
    await using story = new Story(`test -e ../ran || { touch ../ran; ${nested}; ${commit}; }`)
    await story.cutOff(1)
    expect(existsSync(join(story.worktree, "nested/.git"))).toBe(true)
    if (lands) return await story.expectLanded(["M1", "A1"], ["m.txt"])
    const { it, id, worktree } = story
    for (let asked = 0; asked < 2; asked++) {
      const landing = await it.run(id)
      expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
      expect(landing.reason).toContain("nested/")
      expect(existsSync(join(worktree, "nested/.git"))).toBe(true)
      land(it.context, it.task(id))
    }
    renameSync(join(worktree, "nested"), join(worktree, "../nested"))
    story.options.gate = false
    await story.expectLanded(["M1", "A1"], ["m.txt"])
  },
)

test("a gate that was stopped is put back, so edits that come after it land", async () => {
  await using story = new Story(
    "test -f ../go || { echo edited >> f.txt; touch ../runs; sleep 60; }",
  )
  const abort = new AbortController()
  const run = story.it.run(story.id, abort.signal)
  await waitFor("the gate to run", () => existsSync(join(story.worktree, "../runs")))
  abort.abort()
  expect(await run).toMatchObject({ state: "gating" })
  expect(story.status()).toBe("")
  story.commitLate()
  story.repo.write({ "more.txt": "more" }, story.worktree)
  writeFileSync(join(story.worktree, "../go"), "")
  await story.expectLanded(["M1", "A1", "LATE", "agent: Do it"], ["late.txt", "m.txt", "more.txt"])
})

test("without a crash, uncommitted edits next to a late commit land with it", async () => {
  await using story = new Story("true")
  story.it.onPoint = (name) => {
    if (name !== "gating: before") return
    story.it.onPoint = () => {}
    story.commitLate()
    story.repo.write({ "more.txt": "more" }, story.worktree)
  }
  await story.expectLanded(["M1", "A1", "LATE", "agent: Do it"], ["late.txt", "m.txt", "more.txt"])
})
