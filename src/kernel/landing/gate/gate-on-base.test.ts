import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { Pair } from "../../../../test/support/pair.ts"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { makeReady } from "../../tasks/make-ready.ts"
import { findTask } from "../../tasks/rows/find.ts"

/** Generates from a source that is none of its inputs. */
const SETUP = "cat sch*.txt > generated.log"
const GATE = 'pwd >> "$HOME/where"; cmp schema.txt generated.log && test ! -e bad.txt'

type Work = {
  readonly options?: LandingTestOptions
  /** Files that the agent commits. It generates for them, too. */
  readonly work: Files
  /** Files that other work lands under it. */
  readonly main?: Files
  /** The agent has a file that git ignores, and no set-up makes. */
  readonly built?: boolean
}

async function land({ options = {}, work, main, built = false }: Work) {
  using repo = new TestRepo()
  const base = repo.commit({ "schema.txt": "1\n", ".gitignore": "*.log\n" }, "M0")
  await using it = new LandingTest(repo, { gate: GATE, setup: SETUP, ...options })
  const worktree = repo.worktree("feat")
  const task = it.begin({ branch: "feat", base })
  const found = findTask(it.db, task)!
  const workspace = { worktree, fresh: true, placed: [] }
  const ready = { task: found, repo: found.repos[0]!, workspace }
  await makeReady(it.context, ready, new AbortController().signal)
  const generated = work["schema.txt"] ?? "1\n"
  repo.commit({ ...work, "generated.log": generated }, "A1", worktree)
  if (built) repo.write({ "built.log": "" }, worktree)
  if (main) repo.commit(main, "M1")
  const { state, outcome } = await it.run(it.request(task))
  const where = readFileSync(join(repo.folder, "where"), "utf8").trim().split("\n")
  return { state, outcome, where: where.map((path) => (path === worktree ? "its" : "fresh")) }
}

test("work that is red on what an older target generated is tested on new files, and lands [20.4]", async () => {
  const ended = await land({ work: { "a.txt": "a\n" }, main: { "schema.txt": "2\n" } })
  expect(ended).toEqual({
    state: "landed",
    outcome: "LANDED",
    where: ["its", "its", "fresh", "its"],
  })
})

test("work that is red where the target is green runs once, and goes back to its agent [20.4, 20.5]", async () => {
  const work = { "a.txt": "a\n", "bad.txt": "" }
  const ended = await land({ work, main: { "m.txt": "m\n" } })
  expect(ended).toEqual({
    state: "handed_back",
    outcome: "PRE_MERGE_FAILED",
    where: ["its", "its"],
  })
})

test("a target that is red only where set-up lacks what the agent built is not called red [20.5]", async () => {
  const options = { gate: `${GATE} && test -e built.log`, setup: "true" }
  const ended = await land({ options, work: { "bad.txt": "" }, built: true })
  expect(ended).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
})

test("the target is judged on what set-up generates for it, not on what the work needed [20.5]", async () => {
  const ended = await land({ work: { "schema.txt": "2\n", "bad.txt": "" } })
  expect(ended).toEqual({
    state: "handed_back",
    outcome: "PRE_MERGE_FAILED",
    where: ["its", "its", "fresh"],
  })
})

test("a target that is red on what set-up generates for it is reported as red [20.5]", async () => {
  const ended = await land({ work: { "a.txt": "a\n" }, main: { "bad.txt": "" } })
  expect(ended).toEqual({ state: "waiting", outcome: "TARGET_RED", where: ["its", "its", "fresh"] })
})

test.each<[string, LandingTestOptions]>([
  ["has a teardown", { teardown: "true" }],
  ["reads its task's variables", { setup: `: $COPPICE_SLUG; ${SETUP}` }],
  [
    "is none",
    { setup: false as never, gate: GATE.replace("cmp schema.txt generated.log && ", "") },
  ],
])("where set-up %s, both are judged once, in the task's worktree [20.5]", async (_, options) => {
  const work = { "a.txt": "a\n" }
  const ended = await land({ options, work, main: { "bad.txt": "" } })
  expect(ended).toEqual({ state: "waiting", outcome: "TARGET_RED", where: ["its", "its"] })
})

test("work that breaks the gate of another repository goes back to its agent, and the target is not blamed [21.10]", async () => {
  const gates = { app: "" }
  await using pair = new Pair({ gates })
  gates.app = `test ! -e ${pair.worktree("web")}/web.txt`
  const { it } = pair
  expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({
    state: "handed_back",
    outcome: "PRE_MERGE_FAILED",
  })
})
