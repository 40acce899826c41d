/** The next turn: in the agent's Stop hook, or in a resumed session. */

import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleTask } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { assert } from "../../base/assert.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import { defaultConfig } from "../../config/parse.ts"
import type { Turn } from "../runtime/runtime.ts"
import { onCommit } from "../store/sql.ts"
import { PassingStashes } from "../workspaces/stashes/passing-stashes.ts"
import { reject } from "./actions/reject.ts"
import { endTurn, type Running } from "./end-turn.ts"
import { findTask } from "./rows/find.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { findOpenTurn, listTurns } from "./rows/turns/find.ts"
import { openTurn } from "./rows/turns/open.ts"
import { NO_USAGE } from "./rules/usage.ts"
import { SessionLog } from "./session-log.ts"
import { SharedWorktrees } from "./shared-worktrees.ts"
import { Written } from "./text-in-progress.ts"
import { TurnClock } from "./turn-clock.ts"

const LONG_MS = 60_000

/** A task whose agent has written `README.md` in its first turn, which is about to end. */
function atWork(repo: TestRepo, it: LandingTest): TaskId {
  repo.commit({ "README.md": "ours\n" }, "A1", repo.worktree("feat"))
  const id = it.begin({ branch: "feat" })
  openTurn(it.db, { task: id, session: `session-${id}` as SessionId, prompt: "Do it." }, it.nowMs)
  begin(it, id)
  return id
}

function begin(it: LandingTest, id: TaskId): void {
  const turn = findOpenTurn(it.db, id)
  assert(turn, "a turn is open")
  beginTurn(it.db, turn, it.nowMs)
}

function end(
  it: LandingTest,
  id: TaskId,
  n: number,
  hookWaitMs = LONG_MS,
): Promise<Turn | undefined> {
  const context = {
    ...it.context,
    takeReport: () => {},
    exchangeCommits: async () => {},
    commitKept: async () => [],
    mintSessionId: () => "next" as SessionId,

    findAgent: () => undefined,
    limits: () => defaultConfig("app").limits,
    account: () => null,
    imagesOf: () => [],
  }
  return endTurn(context, running(it, id, hookWaitMs), {
    n,
    usage: NO_USAGE,
    message: "done",
    isHandoff: false,
  })
}

const sessions = new WeakMap<LandingTest, Running>()

/** The session of the task's agent; a test has one. */
function running(it: LandingTest, id: TaskId, hookWaitMs: number): Running {
  const known = sessions.get(it)
  if (known) return known
  const task = findTask(it.db, id)
  assert(task, "a task that was begun is there")
  const agent = it.context.agentConfig(task)
  const { signal } = new AbortController()
  const session = {
    task,
    agent: { ...agent, landing: { ...agent.landing, hookWaitMs } },
    log: new SessionLog({ ...it.context, written: new Written() }, id),
    clock: new TurnClock(LONG_MS),
    worktrees: new SharedWorktrees(it.context, task, signal),
    stashes: new PassingStashes([]),
    signal,
  }
  sessions.set(it, session)
  return session
}

/** The landing that the end of the turn submits, for the first time or again. */
async function landingOf(it: LandingTest, id: TaskId) {
  const isSubmitted = () => {
    const landing = it.landingOf(id)
    return landing?.state === "handed_back" ? undefined : landing
  }
  return (await waitFor("a landing", isSubmitted)).id
}

const conflict = (repo: TestRepo) => repo.commit({ "README.md": "theirs\n" }, "M1")

test("work that comes back at once extends the session: the agent gets its next turn in the hook [23.3]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = atWork(repo, it)
  conflict(repo)
  const hook = end(it, id, 1)
  expect(await it.run(await landingOf(it, id))).toMatchObject({ state: "handed_back" })
  const next = await hook
  expect(next).toMatchObject({ n: 2, repeated: false })
  expect(next?.prompt).toContain("README.md (content)")
  expect(findOpenTurn(it.db, id)).toMatchObject({ n: 2, begunAtMs: it.nowMs })

  repo.gitIn(`${repo.folder}/worktrees/feat`, "rebase", "--quiet", "-X", "theirs", "main")
  const second = end(it, id, 2)
  const landed = await it.run(await landingOf(it, id))
  expect(landed).toMatchObject({ state: "landed", handbacks: 1 })
  expect(await second).toBeUndefined()
  expect(it.files()).toEqual({ "README.md": "ours" })
})

test("a landing that must wait lets the session stop; its verdict is a turn of the same session [23.3]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = atWork(repo, it)
  repo.write({ "README.md": "the user's\n" })
  const hook = end(it, id, 1)
  const landing = await landingOf(it, id)
  expect(await it.run(landing)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  expect(await hook).toBeUndefined()
  expect(it.task(landing).state).toBe("merging")

  repo.git("checkout", "--quiet", "README.md")
  conflict(repo)
  it.wake(landing)
  expect(await it.run(landing)).toMatchObject({ state: "handed_back", handbacks: 1 })
  const [first, second] = listTurns(it.db, id)
  expect(second).toMatchObject({ n: 2, session: first?.session, begunAtMs: null })
})

test("work that waits for an approval lets the session stop; a rejection is its next turn", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { approve: true })
  const id = atWork(repo, it)
  const hook = end(it, id, 1)
  const landing = await landingOf(it, id)
  expect(await it.run(landing)).toMatchObject({ state: "in_review" })
  expect(await hook).toBeUndefined()
  expect(it.task(landing).state).toBe("in_approval")
  reject(it.context, it.task(landing), { feedback: "Shorter." })
  const [first, second] = listTurns(it.db, id)
  expect(second).toMatchObject({ n: 2, session: first?.session, begunAtMs: null })
})

test("held work lets the session stop: the task that it waits for may need the slot", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const before = addSampleTask(it.db)
  const id = atWork(repo, it)
  it.db.exec(`insert into dependencies (task, depends_on) values (${id}, ${before.id})`)
  const hook = end(it, id, 1)
  expect(await it.run(await landingOf(it, id))).toMatchObject({ state: "queued" })
  expect(await hook).toBeUndefined()
})

test("a brief wait for a lock keeps the agent", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = atWork(repo, it)
  repo.write({ ".git/index.lock": "" })
  const hook = end(it, id, 1)
  const landing = await landingOf(it, id)
  expect(await it.run(landing)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  repo.write({ ".git/index.lock": null })
  conflict(repo)
  it.wake(landing)
  await it.run(landing)
  expect(await hook).toMatchObject({ n: 2 })
})

test("past hook_wait the agent stops, and the landing goes on alone", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = atWork(repo, it)
  expect(await end(it, id, 1, 1)).toBeUndefined()
  expect(await it.run(await landingOf(it, id))).toMatchObject({ state: "landed" })
})

test("reporting the same end twice changes and submits nothing more", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = atWork(repo, it)
  conflict(repo)
  const hook = end(it, id, 1)
  await it.run(await landingOf(it, id))
  await hook
  let commits = 0
  const stop = onCommit(it.db, () => {
    commits++
  })
  expect(await end(it, id, 1)).toBeUndefined()
  stop()
  expect(commits).toBe(0)
  expect(findOpenTurn(it.db, id)).toMatchObject({ n: 2 })
})

test("each hand-back counts, even if the agent changed nothing; then a person has to act [23.4]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { handbacksMax: 2 })
  const id = atWork(repo, it)
  conflict(repo)
  const states = []
  for (const n of [1, 2, 3]) {
    const hook = end(it, id, n)
    const { state, handbacks } = await it.run(await landingOf(it, id))
    states.push([state, handbacks, (await hook)?.n])
  }
  expect(states).toEqual([
    ["handed_back", 1, 2],
    ["handed_back", 2, 3],
    ["failed", 2, undefined],
  ])
  const { state, repos } = it.task(await landingOf(it, id))
  expect(state).toBe("merge_failed")
  expect(repo.git("worktree", "list")).toContain(repos[0]?.worktree)
})
