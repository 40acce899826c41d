import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleTask } from "../../../test/support/store.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import { listEvents } from "../store/events.ts"
import { type Db, openDb } from "../store/open.ts"
import { startJob } from "../tasks/rows/jobs/record.ts"
import { addSession } from "../tasks/rows/sessions/record.ts"
import { beginTurn } from "../tasks/rows/turns/begin.ts"
import { closeTurn } from "../tasks/rows/turns/end.ts"
import { openTurn } from "../tasks/rows/turns/open.ts"
import { listSettingProblems, lookAtSettings } from "./look-at-settings.ts"

const DAY_MS = 24 * 60 * 60_000

/** The first look at a repository, and the next ones. */
async function begin(repo: TestRepo) {
  const db = openDb(":memory:")
  const look = () => lookAtSettings(db, repo.path, 1000)
  await look()
  const told = () =>
    listEvents(db, { after: 0, limit: 1000 })
      .filter(({ type }) => type === "repo.setting_changed")
      .map(({ task, data: { key, from, to, tasks } }) => [task, key, from, to, tasks])
  return { db, look, told, problems: () => listSettingProblems(db, 1000 + DAY_MS - 1) }
}

function beginsTurn(db: Db, path: string): TaskId {
  const { id } = addSampleTask(db, { repos: [{ name: "app", path, target: "main" }] })
  const session = `s${id}` as SessionId
  addSession(db, { id: session, job: startJob(db, id, 1).id }, 1)
  openTurn(db, { task: id, session, prompt: "" }, 1)
  beginTurn(db, { task: id, n: 1 }, 1)
  return id
}

const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
const endsTurn = (db: Db, task: TaskId) =>
  closeTurn(db, { task, n: 1 }, { usage: { ...NONE, turns: 1, costUsd: null }, message: null }, 2)

test("their tasks hear of a shared setting that changes during turns, with its old value and the way back [5.7]", async () => {
  using repo = new TestRepo()
  repo.git("config", "user.email", "me@x.example")
  const { db, look, told, problems } = await begin(repo)
  const over = beginsTurn(db, repo.path)
  endsTurn(db, over)
  await look()
  const ended = beginsTurn(db, repo.path)
  endsTurn(db, ended)
  const going = beginsTurn(db, repo.path)
  beginsTurn(db, "/elsewhere")
  repo.git("config", "core.hooksPath", ".husky/_")
  repo.git("config", "user.email", "bot@x.example")
  await look()
  await look()
  const at = [ended, going]
  expect(told()).toEqual([
    ...at.map((task) => [task, "user.email", "me@x.example", "bot@x.example", at]),
    ...at.map((task) => [task, "core.hookspath", null, ".husky/_", at]),
  ])
  const file = join(repo.path, ".git/config")
  expect(problems()).toEqual([
    `user.email of ${file}, which all checkouts obey, was "me@x.example" and is "bot@x.example" since 1970-01-01T00:00:01.000Z, when tasks ${ended}, ${going} were at work. To take it back: \`git config --file ${file} --replace-all user.email 'me@x.example'\`.`,
    expect.stringContaining(`\`git config --file ${file} --unset-all core.hookspath\``),
  ])
  expect(listSettingProblems(db, 1000 + DAY_MS), "a day later").toEqual([])

  repo.git("config", "user.email", "other@x.example")
  repo.git("config", "--unset-all", "core.hooksPath")
  await look()
  expect(problems(), "the value of before").toEqual([
    expect.stringMatching(/was "me@x.example" and is "other@x.example"/),
  ])
  repo.git("config", "--replace-all", "user.email", "me@x.example")
  await look()
  expect(problems()).toEqual([])
  expect(told()).toHaveLength(6)
})

test("a change while no task is at work is a person's, and no task hears of it", async () => {
  using repo = new TestRepo()
  const { db, look, told, problems } = await begin(repo)
  const task = beginsTurn(db, repo.path)
  repo.git("config", "core.bare", "true")
  await look()
  expect(problems()).toHaveLength(1)
  endsTurn(db, task)
  await look()
  repo.git("config", "core.bare", "yes")
  await look()
  expect([problems(), told().length]).toEqual([[], 1])
})

test("a configuration that git cannot read has no settings to compare", async () => {
  using repo = new TestRepo()
  repo.git("config", "user.email", "me@x.example")
  const { db, look, told } = await begin(repo)
  beginsTurn(db, repo.path)
  const file = join(repo.path, ".git/config")
  repo.git("config", "core.next", "x")
  await look()
  appendFileSync(file, "[broken\n")
  await look()
  expect(told()).toEqual([])
})
