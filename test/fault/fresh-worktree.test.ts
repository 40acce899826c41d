/**
 * Cuts a landing whose gate runs in a disposable worktree: at every point of it, by a crash and by a
 * cancellation, and once more by killing the whole process while the gate runs.
 */
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { recordLanding } from "../../src/kernel/landing/rows/record.ts"
import { submitWork } from "../../src/kernel/landing/submit-work.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { cleanCancelled } from "../../src/kernel/tasks/clean-cancelled.ts"

import { recordTask } from "../../src/kernel/tasks/rows/record.ts"
import { bundleLandingMain } from "../support/bundled.ts"
import { Crash, LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const POINTS = ["added", "ready", "gate ran"].map((point) => `fresh worktree: ${point}`)
const PLACES = [...POINTS, "gating: before", "gating: done, not recorded"]

function start(repo: TestRepo, options: LandingTestOptions) {
  repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
  repo.commit({ "m.txt": "m" }, "M1")
  const it = new LandingTest(repo, options)
  const repos = [{ name: "app", path: repo.path, target: "main", branch: "feat" }]
  const { task, landing } = submitWork(it.db, { title: "By hand", repos }, it.nowMs)
  return { it, task, id: landing.id }
}

/** The worktrees that exist, without a person's. */
async function left(repo: TestRepo, it: LandingTest): Promise<string[]> {
  await it.settled()
  const folder = join(repo.folder, "app.worktrees")
  const known = readdirSync(join(repo.path, ".git/worktrees")).filter((id) => id !== "feat")
  return [...known, ...(existsSync(folder) ? readdirSync(folder) : [])]
}

test.concurrent.each(PLACES)("cut at %s, it lands, and leaves nothing [20.2]", async (point) => {
  using repo = new TestRepo()
  const { it, id } = start(repo, { gate: "test -f m.txt && test -f feat.txt" })
  await using _ = it
  let cuts = 0
  it.onPoint = (name) => {
    if (name === point && cuts++ === 0) throw new Crash()
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(cuts).toBeGreaterThan(0)
  expect(await left(repo, it)).toEqual([])
  expect(it.leftRefs()).toEqual([])
})

test.concurrent.each(PLACES)("cut at %s and then cancelled, it leaves nothing", async (point) => {
  using repo = new TestRepo()
  const { it, id, task } = start(repo, { gate: "true" })
  await using _ = it
  it.onPoint = (name) => {
    if (name !== point) return
    recordLanding(it.db, it.landing(id), { event: "cancelled" }, it.nowMs)
    recordTask(it.db, it.task(id), { event: "cancelled" }, it.nowMs)
    throw new Crash()
  }
  expect(await it.run(id)).toMatchObject({ state: "cancelled" })
  await cleanCancelled(
    { ...it.context, findAgent: () => undefined, exchangeCommits: async () => {} },
    task.id,
    new AbortController().signal,
  )
  expect(await left(repo, it)).toEqual([])
  expect(it.leftRefs()).toEqual([])
  expect(repo.git("log", "-1", "--format=%s", "feat"), "the branch is its owner's").toBe("A1")
})

test("after a kill while the gate runs, the next start removes the leftovers, tests again and lands [20.2]", async () => {
  using repo = new TestRepo()
  const gate = 'test -f "$HOME/second" || { echo $$ > "$HOME/first"; exec sleep 60; }'
  const dbPath = join(repo.folder, "coppice.db")
  const { it, id } = start(repo, { gate, dbPath })
  await using _ = it
  const main = await bundleLandingMain()
  const args = [main, repo.folder, repo.path, dbPath, String(id), gate]
  const child = spawn(process.execPath, args, { stdio: "ignore" })
  const started = join(repo.folder, "first")
  const hasStarted = () => existsSync(started) && readFileSync(started, "utf8") !== ""
  await waitFor("the gate to run", hasStarted)
  const gatePid = Number(readFileSync(started, "utf8"))
  child.kill("SIGKILL")
  await new Promise((resolve) => child.once("exit", resolve))
  await waitFor("its guard to end the gate", () => readIdentity(gatePid) === undefined)
  expect(await left(repo, it), "there is something to remove").not.toEqual([])
  repo.write({ second: "" }, repo.folder)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(await left(repo, it)).toEqual([])
})
