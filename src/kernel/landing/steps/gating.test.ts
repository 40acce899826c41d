import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { sql } from "../../store/sql.ts"
import { recheckWait } from "../recheck-wait.ts"
import type { Landing } from "../rows/row.ts"

type Story = LandingTestOptions & { readonly main?: Files; readonly feat?: Files }

async function land(
  { main = { "m.txt": "m" }, feat = { "feat.txt": "feat" }, ...options }: Story,
  check: (it: LandingTest, landing: Landing, worktree: string) => void | Promise<void>,
) {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f\n", ".gitignore": "*.log\n" }, "M0")
  await using it = new LandingTest(repo, options)
  const worktree = repo.worktree("feat")
  repo.commit(feat, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit(main, "M1")
  await check(it, await it.run(id), worktree)
}

const results = (it: LandingTest) =>
  sql(it.db, "select tree, exit_code as exitCode from gate_results order by at, exit_code").list()
const gateRuns = (it: LandingTest, { id }: Landing) =>
  it.trace(id).filter((type) => type === "gate.started").length

test("the gate sees the candidate, in the agent's worktree, and its pass is on record for that tree [3.1, 11.3]", async () => {
  const gate = 'test "$(cat m.txt feat.txt f.txt)" = "mfeatf" && test -f cache.log'
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f\n", ".gitignore": "*.log\n" }, "M0")
  await using it = new LandingTest(repo, { gate })
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  repo.write({ "cache.log": "warm" }, worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m" }, "M1")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(results(it)).toEqual([{ tree: it.tip("main^{tree}"), exitCode: 0 }])
})

test("the same red tree is not tested twice, and each hand-back counts", async () => {
  await land({ gate: "test ! -f feat.txt", handbacksMax: 1 }, async (it, landing) => {
    const runs = gateRuns(it, landing)
    it.resubmit(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
    expect(gateRuns(it, landing)).toBe(runs)
  })
})

test("TARGET_RED: what is red on the target is not the task's fault: it waits and is never handed back", async () => {
  await land({ gate: "test -f fixed.txt" }, async (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "TARGET_RED", handbacks: 0 })
    expect(landing.reason).toContain("red on main itself")
    expect(it.task(landing.id).state).toBe("merging")
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
    const runs = gateRuns(it, landing)
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "waiting", outcome: "TARGET_RED" })
    expect(gateRuns(it, landing)).toBe(runs)
    it.repo.commit({ "fixed.txt": "fixed" }, "M2")
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "landed", handbacks: 0 })
  })
})

test("a git hook that refuses the target runs again only after a change of the target or of its approved text", async () => {
  const hooks = { "pre-push": "#!/bin/sh\nexit 1\n" }
  const story = { gate: false, landingHooks: ["pre-push"], hooks } as const
  await land(story, async (it, { id, reason }) => {
    expect(reason).toContain("refuses main itself")
    const before = it.trace(id)
    const look = () => recheckWait(it.context, id, new AbortController().signal)
    for (let n = 0; n < 3; n++) await look()
    expect([it.trace(id), it.landing(id).state]).toEqual([before, "waiting"])
    it.repo.commit({ "m2.txt": "m" }, "M2")
    await look()
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "TARGET_RED" })
    hooks["pre-push"] = "#!/bin/sh\nexit 0\n"
    await look()
    expect(await it.run(id)).toMatchObject({ state: "landed", handbacks: 0 })
  })
})

test.each([
  ["a command that does not exist", "no-such-command-of-anybody"],
  ["a file that may not be run", "./f.txt"],
])(
  "GATE_UNAVAILABLE: %s waits for a person, and is tried again when one says so",
  async (_, gate) => {
    await land({ gate }, async (it, landing) => {
      expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE", handbacks: 0 })
      expect([landing.wakeAtMs, results(it)]).toEqual([null, []])
      expect(landing.reason).toContain(gate)
      it.wake(landing.id)
      expect(await it.run(landing.id)).toMatchObject({ outcome: "GATE_UNAVAILABLE" })
      expect(it.history()).toEqual(["commit", "M0", "M1"])
    })
  },
)

test("a gate that passed is remembered by tree, so a landing that had to wait does not run it again", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  it.onPoint = (name) => {
    if (name === "publishing: before") repo.write({ "feat.txt": "mine" })
  }
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  it.onPoint = () => {}
  rmSync(join(repo.path, "feat.txt"))
  it.wake(id)
  const landing = await it.run(id)
  expect([landing.state, gateRuns(it, landing)]).toEqual(["landed", 1])
})

/** Lands replayed work whose checkout is dirty at each of the first tries to publish. */
async function landHooked(
  times: number,
  onWait: (repo: TestRepo, worktree: string) => void = () => {},
) {
  using repo = new TestRepo()
  const landingHooks = ["commit-msg", "pre-push"] as const
  const hooks = { "commit-msg": "#!/bin/sh\n", "pre-push": "#!/bin/sh\n" }
  await using it = new LandingTest(repo, { gate: "true", landingHooks, hooks })
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m" }, "M1")
  it.onPoint = (name) => {
    if (name === "publishing: before") repo.write({ "feat.txt": "mine" })
  }
  const candidates = new Set<unknown>()
  for (let n = 0; n < times; n++) {
    const { outcome, repos } = await it.run(id)
    expect(outcome).toBe("DIRTY_MAIN")
    candidates.add(repos[0]?.candidate)
    rmSync(join(repo.path, "feat.txt"))
    onWait(repo, worktree)
    it.wake(id)
  }
  it.onPoint = () => {}
  const landing = await it.run(id)
  const hookRuns = it.trace(id).filter((type) => type === "gate.hook_ran").length
  const { state } = landing
  const subjects = it.history()
  return { state, subjects, gateRuns: gateRuns(it, landing), hookRuns, ids: candidates.size }
}

test("a passed gate with git hooks is remembered through waits, although each replay has a new id [24.2]", async () => {
  const subjects = ["commit", "M1", "A1"]
  const ended = { state: "landed", subjects, gateRuns: 1, hookRuns: 2, ids: 4 }
  expect(await landHooked(4)).toEqual(ended)
})

test("an amended message alone runs the git hooks of the gate again [24.2]", async () => {
  const amend = (repo: TestRepo, worktree: string) =>
    void repo.gitIn(worktree, "commit", "--quiet", "--amend", "--message=A2")
  const subjects = ["commit", "M1", "A2"]
  const ended = { state: "landed", subjects, gateRuns: 2, hookRuns: 4, ids: 1 }
  expect(await landHooked(1, amend)).toEqual(ended)
})

test("a checkout that is in the way is seen before the gate runs", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
  repo.write({ "feat.txt": "mine" })
  const landing = await it.run(it.submit({ branch: "feat" }))
  expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  expect(gateRuns(it, landing)).toBe(0)
})

test.each(["syncing: done, not recorded", "gating: before"])(
  "a commit that comes late, %s, is in the next snapshot: what is tested is what lands",
  async (at) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: "! test -f late.txt || test -f tested.txt" })
    const worktree = repo.worktree("feat")
    repo.commit({ "feat.txt": "feat" }, "A1", worktree)
    const id = it.submit({ branch: "feat" })
    it.onPoint = (name) => {
      if (name !== at) return
      it.onPoint = () => {}
      repo.commit({ "late.txt": "late", "tested.txt": "t" }, "LATE", worktree)
    }
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.history()).toEqual(["commit", "A1", "LATE"])
    expect(results(it)).toEqual([{ tree: it.tip("main^{tree}"), exitCode: 0 }])
  },
)

const COMMITS =
  "git commit -q --allow-empty -m residue && echo more >> f.txt && git commit -qam more"

test.each([
  ["commits", COMMITS],
  ["commits on a branch of its own", `git checkout -q -b own; ${COMMITS}`],
  ["commits without a branch", `git checkout -q --detach; ${COMMITS}`],
])("a gate that %s: what it commits is saved and never lands [3.2]", async (_, gate) => {
  await land({ gate }, (it, landing) => {
    expect(landing).toMatchObject({ outcome: "LANDED", races: 0 })
    expect(it.history()).toEqual(["commit", "M0", "M1", "A1"])
    expect(it.repo.git("log", "--all", "--format=%s")).toContain("residue")
  })
})

test.each([
  ["commits", COMMITS],
  ["commits on a branch of its own", `git checkout -q -b own; ${COMMITS}`],
])(
  "a gate that %s: its commit does not land when the landing starts again [3.2]",
  async (_, gate) => {
    using repo = new TestRepo()
    repo.commit({ "f.txt": "f\n" }, "M0")
    await using it = new LandingTest(repo, {
      gate: `git rev-parse -q --verify own || { ${gate}; }`,
    })
    repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
    const id = it.submit({ branch: "feat" })
    it.onPoint = (name) => {
      if (name !== "gating: gate ran") return
      it.onPoint = () => {}
      repo.commit({ "m.txt": "m" }, "M1")
    }
    expect(await it.run(id)).toMatchObject({ state: "landed", races: 1 })
    expect(it.history()).toEqual(["commit", "M0", "M1", "A1"])
    expect(repo.git("log", "--all", "--format=%s")).toContain("residue")
  },
)

test("a red gate that commits hands the candidate back, not its commit [3.2]", async () => {
  await land({ gate: `test ! -f feat.txt || { ${COMMITS}; false; }` }, (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "handed_back" })
    expect(it.repo.gitIn(worktree, "log", "-1", "--format=%s")).toBe("A1")
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
  })
})

test("a commit during the gate takes in the gate's edits: the tested tree lands, and the commit stays reachable [3.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "echo edited >> README.md" })
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  it.onPoint = (name) => {
    if (name !== "gating: gate ran") return
    it.onPoint = () => {}
    repo.gitIn(worktree, "commit", "--quiet", "--all", "--message=LATE")
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.history()).toEqual(["commit", "A1"])
  expect(it.files()).toMatchObject({ "README.md": "hello" })
  expect(repo.git("log", "--all", "--format=%s")).toContain("LATE")
})

test("a gate that is interrupted when the daemon ends runs again at the next start", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "echo x >> runs.log; test -f go.log || sleep 60" })
  repo.commit({ ".gitignore": "*.log" }, "M0")
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  const abort = new AbortController()
  const run = it.run(id, abort.signal)
  await waitFor("the gate to run", () => existsSync(join(worktree, "runs.log")))
  abort.abort()
  expect(await run).toMatchObject({ state: "gating" })
  expect(results(it)).toEqual([])
  writeFileSync(join(worktree, "go.log"), "")
  expect(await it.run(id)).toMatchObject({ state: "landed" })
})

test("the gate is guessed from the target's commit, not from what the agent wrote", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: undefined })
  repo.commit({ Makefile: "test:\n\tfalse\n" }, "A1", repo.worktree("one"))
  const first = await it.run(it.submit({ branch: "one" }))
  expect([first.outcome, gateRuns(it, first)]).toEqual(["LANDED", 0])
  repo.commit({ Makefile: null }, "A2", repo.worktree("two"))
  expect(await it.run(it.submit({ branch: "two" }))).toMatchObject({ outcome: "TARGET_RED" })
})

test("a repository with commits that a gate left is not removed: the landing fails and names it", async () => {
  const init =
    "git init --quiet nested && git -C nested -c user.name=n -c user.email=n commit --quiet"
  await land({ gate: `${init} --allow-empty -m n` }, (_, landing, worktree) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
    expect(landing.reason).toContain("nested/")
    expect(existsSync(join(worktree, "nested/.git/HEAD"))).toBe(true)
  })
})

test("an edit hidden from git does not make the gate green", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "red", "g.txt": "g" }, "M0")
  await using it = new LandingTest(repo, { gate: "grep red f.txt && test -f g.txt" })
  const worktree = repo.worktree("feat")
  repo.commit({ "f.txt": "bad", "feat.txt": "feat" }, "A1", worktree)
  repo.gitIn(worktree, "update-index", "--assume-unchanged", "f.txt")
  repo.gitIn(worktree, "update-index", "--skip-worktree", "g.txt")
  repo.write({ "f.txt": "red", "g.txt": null }, worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m" }, "M1")
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(repo.git("show", "main:f.txt")).toBe("red")
  expect(repo.git("show", "main:g.txt")).toBe("g")
})

test.each([
  [
    "no-such-tool --all",
    "the program `no-such-tool` was not found (exit code 127). Install `no-such-tool`",
  ],
  ["./f.txt", "the program `./f.txt` cannot be executed (exit code 126). Install `./f.txt`"],
  ["sh -c 'exit 127'", "a program was not found (exit code 127). Install what it needs"],
])(
  "a gate `%s` that cannot start names the program and both settings [28.11]",
  async (gate, says) => {
    await land({ gate }, async (_, { reason }) => {
      expect(reason).toContain(says)
      expect(reason).toContain("or set `repos.app.gate` in coppice.yml")
      expect(reason).toContain("Set-up installs what it needs: `repos.app.setup`.")
    })
  },
)

test("a set-up that changed runs again before the gate, once, and its leftovers do not land [28.12]", async () => {
  const gate = 'test "$(cat packages)" = "$(cat package-lock.json)"'
  const setup = "echo ran >> ../runs; cat package-lock.json > packages; echo x >> f.txt"
  const main = { "package-lock.json": "two" } // landed under the work
  await land({ gate, setup, main }, async (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "landed" })
    expect(readFileSync(join(worktree, "../runs"), "utf8")).toBe("ran\n")
    expect(it.repo.git("show", "--name-only", "--format=", "main")).toBe("feat.txt")
  })
})

test("a set-up that fails on the work alone is the agent's, and one that fails everywhere a person's [28.12]", async () => {
  const setup = "test ! -f feat.txt"
  await land({ gate: "true", setup }, async (_, landing) => {
    expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  })
  await land({ gate: "true", setup: "no-such-tool" }, async (_, { outcome, reason }) => {
    expect(outcome).toBe("GATE_UNAVAILABLE")
    expect(reason).toContain("in its worktree `no-such-tool` exited with 127")
    expect(reason).toContain("Install `no-such-tool`, or set `repos.app.setup` in coppice.yml")
  })
})
