import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { assert } from "../../../base/assert.ts"
import type { SessionId } from "../../../base/ids.ts"
import { findTask } from "../../tasks/rows/find.ts"
import { closeTurn } from "../../tasks/rows/turns/end.ts"
import { openTurn } from "../../tasks/rows/turns/open.ts"
import { NO_USAGE } from "../../tasks/rules/usage.ts"
import { checkWork } from "./check-work.ts"

/** Says when it begins and ends, and between the two waits to be let go. */
const GATE = `echo begins >> "$LOG"; while [ ! -e "$LOG.go" ]; do sleep 0.02; done; echo ends >> "$LOG"`

test("checks of one worktree run one after another, as long as a turn is open and its caller waits", async () => {
  using repo = new TestRepo()
  const log = join(repo.folder, "log")
  await using it = new LandingTest(repo, { gate: GATE.replaceAll("$LOG", log) })
  repo.commit({ "a.txt": "a\n" }, "A1", repo.worktree("feat"))
  const id = it.begin({ branch: "feat" })
  const turn = openTurn(it.db, { task: id, session: `session-${id}` as SessionId, prompt: "x" }, 1)
  const task = findTask(it.db, id)
  assert(task, "the task is there")
  const gone = new AbortController()
  const check = (signal = new AbortController().signal) =>
    checkWork(it.context, { task, repos: task.repos }, signal)
  const both = [check(), check()]
  const left = check(gone.signal)
  gone.abort()
  await waitFor("the first check", () => existsSync(log))
  repo.write({ "../log.go": "" })
  expect(await Promise.all(both)).toMatchObject([{ passed: true }, { passed: true }])
  expect(await left).toBeUndefined()
  expect(readFileSync(log, "utf8").split("\n")).toEqual(["begins", "ends", "begins", "ends", ""])

  closeTurn(it.db, turn, { usage: NO_USAGE, message: null }, 2)
  expect(await check()).toBeUndefined()
})
