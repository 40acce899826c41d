/** Scenarios of group M: the command that must pass before work lands. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { GateFacts } from "../../src/kernel/landing/prompts/hand-back.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { sql } from "../../src/kernel/store/sql.ts"
import { findOpenTurn } from "../../src/kernel/tasks/rows/turns/find.ts"
import { Crash, LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { type Files, TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

type Story = LandingTestOptions &
  Partial<Pick<LandingTest, "onPoint">> & { readonly main?: Files; readonly feat?: Files }

async function land(
  { main = { "m.txt": "m" }, feat = { "feat.txt": "feat" }, onPoint, ...options }: Story,
  check: (it: LandingTest, landing: Landing, worktree: string) => void | Promise<void>,
) {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f\n", ".gitignore": "*.log\n" }, "M0")
  await using it = new LandingTest(repo, options)
  if (onPoint) it.onPoint = onPoint
  const worktree = repo.worktree("feat")
  repo.commit(feat, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit(main, "M1")
  await check(it, await it.run(id), worktree)
}

const gateOf = (landing: Landing) => (landing.details as { gate: GateFacts }).gate
const results = (it: LandingTest) =>
  sql(it.db, "select tree, exit_code as exitCode from gate_results order by at, exit_code").list()
test("M27: a red gate is handed back with its output, its target and the exact command", async () => {
  const gate = "echo seen on stdout; echo and on stderr >&2; test ! -f feat.txt"
  await land({ gate }, (it, landing, worktree) => {
    expect(landing).toMatchObject({
      state: "handed_back",
      outcome: "PRE_MERGE_FAILED",
      handbacks: 1,
    })
    expect(gateOf(landing)).toMatchObject({ command: gate, verdict: "exited with 1" })
    for (const said of ["seen on stdout", "and on stderr"])
      expect(gateOf(landing).output).toContain(said)
    const { prompt } = findOpenTurn(it.db, landing.task)!
    for (const fact of [
      gate,
      "exited with 1",
      "seen on stdout",
      gateOf(landing).candidate.slice(0, 12),
    ])
      expect(prompt).toContain(fact)
    expect(it.history()).toEqual(["commit", "M0", "M1"])
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
    expect(it.repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(gateOf(landing).candidate)
    expect(results(it).map(({ exitCode }) => exitCode)).toEqual([0, 1])
  })
})

test.each(["gating: gate ran", "gating: put back"])(
  "if a red gate's run on the target is cut off at %s, the agent's worktree returns to its commit [3.2]",
  async (point) => {
    let passed = 0
    const onPoint = (name: string) => {
      if (name === point && ++passed === 2) throw new Crash()
    }
    await land({ gate: "test ! -f feat.txt", onPoint }, (it, landing, worktree) => {
      expect(passed).toBeGreaterThan(2)
      expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
      expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
      expect(it.repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(gateOf(landing).candidate)
    })
  },
)

test("M28: a gate over its time limit is ended with everything it started [12.3]", async () => {
  const pidFile = "pid.log"
  const gate = `test -f feat.txt || exit 0; (trap '' TERM; echo $$ > ${pidFile}; while :; do sleep 1; done) & wait`
  await land({ gate: gate, gateTimeoutMs: 500, handbacksMax: 0 }, async (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
    expect(gateOf(landing).verdict).toMatch(
      /^took longer than [\d.]+ s \(repos\.\S+\.gate_timeout\)$/,
    )
    expect(it.history()).toEqual(["commit", "M0", "M1"])
    const pid = Number(readFileSync(join(worktree, pidFile), "utf8"))
    await waitFor("the gate's process to be gone", () => readIdentity(pid) === undefined)
  })
})

describe("M29: what a gate leaves", () => {
  const residue = [
    "echo edited > feat.txt; rm f.txt; echo new > new.txt; git add new.txt; mkdir d; echo x > d/x",
    "git init -q nested; echo n > nested/n",
  ].join("; ")

  test("does not land when it is green; the tree is the candidate's", async () => {
    await land({ gate: residue, gateWrites: ["**"] }, (it, landing) => {
      expect(landing.outcome).toBe("LANDED")
      expect(Object.keys(it.files())).toEqual([
        ".gitignore",
        "README.md",
        "f.txt",
        "feat.txt",
        "m.txt",
      ])
      expect(it.files()["feat.txt"]).toBe("feat")
    })
  })

  test("leftovers of a red gate are rescued and removed, so that no later snapshot takes them for work [3.2]", async () => {
    await land(
      {
        gate: `${residue}; test "$(cat m.txt)" != m`,
        main: { "m.txt": "m" },
        handbacksMax: 0,
        feat: { "feat.txt": "feat" },
      },
      (it, landing, worktree) => {
        expect(landing.state).toBe("waiting") // red on the target as well
        expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
        expect(readFileSync(join(worktree, "feat.txt"), "utf8")).toBe("feat")
        expect(it.repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(landing.repos[0]!.candidate)
        const [ref] = it.leftRefs().filter((name) => name.includes("/rescue/"))
        expect(it.files(ref)).toMatchObject({ "feat.txt": "edited", "new.txt": "new", "d/x": "x" })
      },
    )
  })

  test("is removed even after a crash right after the gate, red or green", async () => {
    for (const gate of [residue, `${residue}; test "$(cat f.txt 2>/dev/null)"`]) {
      using repo = new TestRepo()
      repo.commit({ "f.txt": "f\n" }, "M0")
      await using it = new LandingTest(repo, { gate, handbacksMax: 0 })
      const worktree = repo.worktree("feat")
      repo.commit({ "feat.txt": "feat" }, "A1", worktree)
      const id = it.submit({ branch: "feat" })
      it.onPoint = (name) => {
        if (name !== "gating: gate ran") return
        it.onPoint = () => {}
        throw new Error("died")
      }
      await expect(it.run(id)).rejects.toThrow("died")
      expect(repo.gitIn(worktree, "status", "--porcelain")).not.toBe("")
      expect(results(it)).toEqual([])
      const landing = await it.run(id)
      expect(["landed", "waiting"]).toContain(landing.state)
      if (existsSync(worktree)) expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("")
      expect(Object.keys(it.files()).filter((path) => /new|nested|d\//.test(path))).toEqual([])
    }
  })
})

const told = (it: LandingTest, { task }: Landing) =>
  listEvents(it.db, { after: 0, task, limit: 100 })
    .filter(({ type }) => type === "gate.files_changed")
    .map(({ data }) => data["paths"])

test.each<[string, LandingTestOptions, Files, Files, string[]]>([
  [
    "the command names",
    { gate: "sh ./ci/test.sh" },
    { "ci/test.sh": "true\n" },
    { "ci/test.sh": "exit 0\n" },
    ["ci/test.sh"],
  ],
  [
    "a script names that npm runs",
    { gate: "npm run check" },
    { "package.json": '{"scripts":{"check":"sh t.sh"}}', "t.sh": "true\n" },
    { "t.sh": "exit 0\n" },
    ["t.sh"],
  ],
  [
    "holds the scripts",
    { gate: "npm test" },
    { "package.json": '{"scripts":{"test":"true"}}' },
    { "package.json": '{"scripts":{"test":"exit 0"}}' },
    ["package.json"],
  ],
  [
    "make reads",
    { gate: "make test" },
    { Makefile: "test:\n\ttrue\n" },
    { Makefile: "test:\n\texit 0\n" },
    ["Makefile"],
  ],
  [
    "a program reads by itself, in any folder",
    { gate: "npm test" },
    { "package.json": '{"scripts":{"test":"true"}}' },
    { "web/.npmrc": "script-shell=/bin/true\n", "web/not.npmrc": "x", "README.md": "r\n" },
    ["web/.npmrc"],
  ],
  ["names the next gate", { gate: "true" }, {}, { "coppice.yml": "version: 1\n" }, ["coppice.yml"]],
  [
    "names the gate, where there is none yet",
    { gate: false },
    {},
    { "coppice.yml": "version: 1\n" },
    ["coppice.yml"],
  ],
  [
    "set-up runs",
    { gate: "true", setup: "npm run build" },
    { "package.json": '{"scripts":{"build":"sh b.sh"}}', "b.sh": "true\n" },
    { "b.sh": "exit 0\n" },
    ["b.sh"],
  ],
  [
    "names the next gate, also with gate_files",
    { gate: "true", gateFiles: ["spec/**"] },
    {},
    { "coppice.yml": "version: 1\n" },
    ["coppice.yml"],
  ],
  [
    "gate_files names",
    { gate: "true", gateFiles: ["spec/**"] },
    {},
    { "spec/a/b.txt": "b\n", true: "t" },
    ["spec/a/b.txt"],
  ],
])(
  "M32: work that edits its own tests lands, and is flagged: a file that %s [3.7]",
  async (_, options, base, feat, paths) => {
    using repo = new TestRepo()
    repo.commit({ "f.txt": "f\n", ...base }, "M0")
    await using it = new LandingTest(repo, options)
    repo.commit(feat, "A1", repo.worktree("feat"))
    const landing = await it.run(it.submit({ branch: "feat" }))
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(told(it, landing)).toEqual([paths])
  },
)

test("M32: other changes are not flagged; a request for approval names the flagged files [3.7]", async () => {
  using repo = new TestRepo()
  repo.commit({ "package.json": '{"scripts":{"test":"true"},"version":"1"}' }, "M0")
  await using it = new LandingTest(repo, { gate: "npm test", approve: true })
  const worktree = repo.worktree("feat")
  repo.commit({ "package.json": '{"scripts":{"test":"true"},"version":"2"}' }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  expect(await it.run(id)).toMatchObject({ state: "in_review", reason: null })

  await using other = new LandingTest(repo, { gate: "npm test", approve: true })
  repo.commit({ "package.json": '{"scripts":{"test":"exit 0"}}' }, "A2", worktree)
  const flagged = await other.run(other.submit({ branch: "feat" }))
  const reason = "changes what Coppice runs: package.json"
  expect(flagged).toMatchObject({ state: "in_review", reason })
})
