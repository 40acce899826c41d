import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { LandingId } from "../../../base/ids.ts"
import { sql } from "../../store/sql.ts"
import { findOpenTurn } from "../../tasks/rows/turns/find.ts"
import type { GateFacts } from "../prompts/hand-back.ts"
import { submitWork } from "../submit-work.ts"

/** A branch with one commit, and a target that has moved on. */
class Story implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly it: LandingTest
  readonly worktree: string

  constructor(options: LandingTestOptions) {
    const { repo } = this
    repo.commit({ "f.txt": "f\n", ".gitignore": "*.log\n.env\n" }, "M0")
    repo.write({ ".env": "secret" })
    this.it = new LandingTest(repo, options)
    this.worktree = repo.worktree("feat")
    repo.commit({ "feat.txt": "feat" }, "A1", this.worktree)
    repo.commit({ "m.txt": "m" }, "M1")
  }

  /** An unknown person's. */
  submitWork(): LandingId {
    const { it } = this
    const repos = [{ name: "app", path: it.path, target: "main", branch: "feat" }]
    return submitWork(it.db, { title: "By hand", repos }, it.nowMs).landing.id
  }

  /** Worktrees and folders that were not there before. */
  async left(): Promise<string[]> {
    await this.it.settled()
    const known = this.repo.git("worktree", "list", "--porcelain").match(/^worktree .*/gm) ?? []
    const folder = join(this.repo.folder, "app.worktrees")
    return [...known.slice(2), ...(existsSync(folder) ? readdirSync(folder) : [])]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("work of no agent is tested in a fresh worktree at the candidate, made ready as a task's [20.1]", async () => {
  const gate = `test "$(cat m.txt feat.txt .env made.log)" = "mfeatsecretmade"; pwd > "$HOME/where"`
  const options = { gate: `set -e; ${gate}`, setup: "printf made > made.log; echo x >> f.txt" }
  await using story = new Story({ ...options, copy: [".env"] })
  const { it, repo, worktree } = story
  const head = repo.gitIn(worktree, "rev-parse", "HEAD")
  const id = story.submitWork()
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  const where = readFileSync(join(repo.folder, "where"), "utf8").trim()
  expect(where).toMatch(/\/app\.worktrees\/landing-\d+-[0-9a-f]{8}$/)
  expect(existsSync(where)).toBe(false)
  expect(await story.left()).toEqual([])
  expect(repo.gitIn(worktree, "rev-parse", "HEAD"), "nothing is synced").toBe(head)
  expect(it.files(), "the set-up's edit is not published").toMatchObject({ "f.txt": "f" })
  const tree = it.tip("main^{tree}")
  expect(sql(it.db, "select tree, exit_code as code from gate_results").list()).toEqual([
    { tree, code: 0 },
  ])
})

test("gate_in: candidate leaves the agent's worktree where it is, also when it is handed back", async () => {
  await using story = new Story({ gate: "test ! -f feat.txt", gateIn: "candidate" })
  const { it, repo, worktree } = story
  const head = repo.gitIn(worktree, "rev-parse", "HEAD")
  const landing = await it.run(it.submit({ branch: "feat", base: repo.tip("main~1") }))
  expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  expect((landing.details as { gate: GateFacts }).gate).toMatchObject({ isFresh: true })
  expect(findOpenTurn(it.db, landing.task)?.prompt).toContain("this one is as you left it")
  expect(repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(head)
  expect(await story.left()).toEqual([])
})

test("a gate that is red on the target too waits, and is not blamed on the work", async () => {
  await using story = new Story({ gate: "false" })
  const landing = await story.it.run(story.submitWork())
  expect(landing).toMatchObject({ state: "waiting", outcome: "TARGET_RED" })
  expect(await story.left()).toEqual([])
})

test("a set-up that only the candidate breaks is its fault; one that always fails is not [20.3]", async () => {
  await using mine = new Story({ gate: "true", setup: "echo no >&2; test ! -f feat.txt" })
  const red = await mine.it.run(mine.submitWork())
  expect(red).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
  expect((red.details as { gate: GateFacts }).gate.output).toContain("no")
  expect(await mine.left()).toEqual([])

  await using always = new Story({ gate: "true", setup: "exit 3" })
  const landing = await always.it.run(always.submitWork())
  expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE" })
  expect(landing.reason).toContain("in a fresh worktree `exit 3` exited with 3")
  expect(await always.left()).toEqual([])
})

test("W10: a branch is tested and lands even if its worktree was deleted by hand [20.1]", async () => {
  await using story = new Story({ gate: "test -f feat.txt && test -f m.txt" })
  const { it, repo, worktree } = story
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  rmSync(worktree, { recursive: true })
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.trace(id).filter((type) => type === "gate.started")).toHaveLength(1)
  expect((await story.left()).filter((one) => !one.includes("/feat"))).toEqual([])
})

test("where no worktree can be made the landing says so, and goes on when a person asks", async () => {
  await using story = new Story({ gate: "true" })
  const { it, repo } = story
  writeFileSync(join(repo.folder, "app.worktrees"), "in the way")
  const id = story.submitWork()
  const landing = await it.run(id)
  expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE", wakeAtMs: null })
  expect(landing.reason).toContain("The folder for worktrees cannot be used")
  rmSync(join(repo.folder, "app.worktrees"))
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

test("a landing that is interrupted removes its worktree and goes on later", async () => {
  await using story = new Story({ gate: "true" })
  const { it } = story
  const id = story.submitWork()
  const abort = new AbortController()
  it.onPoint = (name) => {
    if (name === "fresh worktree: ready") abort.abort()
  }
  expect(await it.run(id, abort.signal)).toMatchObject({ state: "gating" })
  expect(await story.left()).toEqual([])
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

test.each([
  ["commits", "git -c user.name=a -c user.email=a@b commit --quiet --all --message x"],
  ["commits on a branch", "git switch -qc x; git -c user.name=a -c user.email=a@b commit -qam x"],
  ["assumes to be unchanged", "git update-index --assume-unchanged feat.txt"],
  ["hides from git", "git update-index --skip-worktree feat.txt"],
  ["stages", "git add feat.txt"],
])("the gate does not test an edit that set-up %s [3.6]", async (_, hides) => {
  const setup = `printf good > feat.txt; ${hides}`
  await using story = new Story({ gate: "! test -f feat.txt || grep good feat.txt", setup })
  const landing = await story.it.run(story.submitWork())
  expect(landing).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
  expect(story.it.files()).not.toHaveProperty("feat.txt")
  expect(await story.left()).toEqual([])
})

test.each([
  ["git's lock", `printf good > feat.txt; touch "$(git rev-parse --git-dir)/index.lock"`],
  ["no worktree", "rm .git"],
  ["another worktree", `rm .git; echo "gitdir: $(cd ../../repo; pwd)/.git" > .git`],
])("a set-up that leaves %s is not followed by a gate [3.6]", async (_, setup) => {
  await using story = new Story({ gate: "true", setup })
  const landing = await story.it.run(story.submitWork())
  expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE" })
  expect(story.it.trace(landing.id)).not.toContain("gate.started")
  expect(await story.left()).toEqual([])
})

test("set-up that locks HEAD hides no change from `pre-commit`, and the landing waits [24.2]", async () => {
  const setup = 'touch "$(git rev-parse --absolute-git-dir)/HEAD.lock"'
  const hooks = { "pre-commit": "#!/bin/sh\n! git diff --cached | grep +feat" }
  await using story = new Story({ gate: false, setup, hooks, landingHooks: ["pre-commit"] })
  const { it, repo } = story
  const landing = await it.run(it.submit({ branch: "feat", base: repo.tip("main~1") }))
  expect(landing).toMatchObject({
    outcome: "GATE_UNAVAILABLE",
    reason: expect.stringMatching(/pre-commit.* cannot start: HEAD of \S+ is locked/),
  })
})
