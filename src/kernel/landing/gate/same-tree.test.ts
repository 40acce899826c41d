import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listEvents } from "../../store/events.ts"

/** The gate is green where the file says so. */
const GATE = "grep -q GOOD code.txt"
const CHECKED = `test ! -f code.txt || ${GATE}`

/** Has the index say of the file on disk that it is another one, as an agent can. */
function forgeIndex(repo: TestRepo, worktree: string, from: string, to: string): void {
  const file = repo.gitIn(worktree, "rev-parse", "--path-format=absolute", "--git-path", "index")
  const bytes = readFileSync(file).subarray(0, -20)
  const at = bytes.indexOf(Buffer.from(from, "hex"))
  bytes.set(Buffer.from(to, "hex"), at)
  writeFileSync(file, Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]))
}

/** Git believes what the index says of a file that is older than it. */
function makeOld(worktree: string): void {
  utimesSync(join(worktree, "code.txt"), 1_000_000_000, 1_000_000_000)
}

describe.each(["worktree", "candidate"] as const)("law 3: with gate_in: %s", (gateIn) => {
  test("the gate does not test the output of an agent's filter [3.3]", async () => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: CHECKED, gateIn, handbacksMax: 0 })
    const worktree = repo.worktree("feat")
    repo.git("config", "filter.e.clean", "sed s/GOOD/EVIL/")
    repo.git("config", "filter.e.smudge", "sed s/EVIL/GOOD/")
    repo.commit({ ".gitattributes": "*.txt filter=e\n", "code.txt": "GOOD\n" }, "A1", worktree)
    makeOld(worktree)
    repo.gitIn(worktree, "update-index", "--refresh", "-q")
    const landing = await it.run(it.submit({ branch: "feat" }))
    expect(landing).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
    expect(it.history()).toEqual(["commit"])
  })

  test("the gate does not test an edit that a forged index hides, and the edit is rescued [3.3]", async () => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: CHECKED, gateIn, handbacksMax: 0 })
    const worktree = repo.worktree("feat")
    repo.commit({ "code.txt": "EVIL\n" }, "A1", worktree)
    const evil = repo.gitIn(worktree, "rev-parse", "HEAD:code.txt")
    repo.write({ "code.txt": "GOOD\n" }, worktree)
    makeOld(worktree)
    repo.gitIn(worktree, "add", "code.txt")
    forgeIndex(repo, worktree, repo.gitIn(worktree, "rev-parse", ":code.txt"), evil)
    expect(repo.gitIn(worktree, "status", "--porcelain"), "git sees nothing").toBe("")
    const landing = await it.run(it.submit({ branch: "feat" }))
    expect(landing).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
    expect(it.history()).toEqual(["commit"])
    if (gateIn === "candidate") return // the task's worktree is not touched
    const [rescue] = it.leftRefs().filter((ref) => ref.includes("/rescue/"))
    expect(repo.git("show", `${rescue}:code.txt`)).toBe("GOOD")
  })

  test("a gate may edit files that are not the work; they are named, and do not land [3.4]", async () => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: "echo edited > README.md", gateIn })
    repo.commit({ "code.txt": "x\n" }, "A1", repo.worktree("feat"))
    const landing = await it.run(it.submit({ branch: "feat" }))
    expect(landing).toMatchObject({ state: "landed" })
    expect(it.files()).toMatchObject({ "README.md": "hello" })
    const events = listEvents(it.db, { after: 0, task: landing.task, limit: 100 })
    const [changed] = events.filter(({ type }) => type === "gate.tree_changed")
    expect(changed?.data).toMatchObject({ paths: ["README.md"] })
  })

  test("if another process keeps writing, the gate's result does not count [3.5]", async () => {
    using repo = new TestRepo()
    const go = join(repo.folder, "go")
    const gate = `test ! -f code.txt || { touch ${go}; until ${GATE}; do sleep 0.02; done; }`
    await using it = new LandingTest(repo, { gate, gateIn })
    repo.commit({ "code.txt": "EVIL\n" }, "A1", repo.worktree("feat"))
    const places = ["worktrees/feat/code.txt", "app.worktrees/landing-*/code.txt"]
    const writer = setInterval(() => {
      const files = existsSync(go) ? globSync(places, { cwd: repo.folder }) : []
      for (const file of files) writeFileSync(join(repo.folder, file), "GOOD\n")
    }, 1)
    const landing = await it.run(it.submit({ branch: "feat" }))
    clearInterval(writer)
    expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE" })
    expect(landing.reason).toMatch(/another process writes in .*: code\.txt/)
    expect(it.history()).toEqual(["commit"])
  })
})

test("a file that copy or link placed over a tracked file is not counted as a change [3.3]", async () => {
  using repo = new TestRepo()
  repo.commit({ "env.txt": "committed\n" }, "M1")
  await using it = new LandingTest(repo, { gate: "true" })
  const worktree = repo.worktree("feat")
  repo.commit({ "code.txt": "x\n" }, "A1", worktree)
  writeFileSync(join(worktree, "env.txt"), "placed\n")
  const landing = await it.run(it.submit({ branch: "feat", placed: ["env.txt"] }))
  expect(landing).toMatchObject({ state: "landed" })
  expect(it.files()).toMatchObject({ "env.txt": "committed" })
})
