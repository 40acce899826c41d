import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { findAttached } from "../../features/attach/attached-program.ts"
import { forksIn } from "../../features/forks/forks.ts"
import { readIdentity } from "../process/process-identity.ts"
import { openDb } from "../store/open.ts"
import { resume } from "./actions/resume.ts"
import { beginTask } from "./begin-task.ts"
import { setAttached } from "./rows/attached.ts"
import { findTask } from "./rows/find.ts"
import { findOpenTurn } from "./rows/turns/find.ts"

const FRESH = "fresh" as SessionId
const world = { nowMs: () => 5000, dice: () => 0, point: () => {} }
const context = () => {
  const db = openDb(":memory:")
  const forks = forksIn(db)
  return { db, world, forks, findAttached, mintSessionId: () => FRESH, findAgent: () => undefined }
}

test.each([
  { who: "nobody", pid: undefined, fresh: false },
  { who: "somebody", pid: process.pid, fresh: true },
  { who: "a person who has gone", pid: 2 ** 22 + 1, fresh: false },
])(
  "a further task of a work item whose conversation $who has open begins a fresh one: $fresh",
  ({ pid, fresh }) => {
    const it = context()
    const first = addSampleTask(it.db, { workItem: "gh-1" }).id
    const session = addSampleSession(it.db, first)
    forceState(it.db, first, "complete")
    const identity = readIdentity(process.pid) ?? null
    const file = "/gone/nobody-says-so"
    if (pid !== undefined)
      setAttached(it.db, first, { pid, identity, file, mark: "m", pauses: false })
    const second = addSampleTask(it.db, { workItem: "gh-1", prompt: "More." })
    beginTask(it, second)
    const turn = findOpenTurn(it.db, second.id)
    expect(turn?.session).toBe(fresh ? FRESH : session)
    expect(turn?.prompt === "More.").toBe(fresh)
  },
)

test("a complete task whose conversation was forgotten resumes with a fresh one, whose prompt includes the task", () => {
  const { db } = context()
  const { id } = addSampleTask(db, { prompt: "Say hello." })
  forceState(db, id, "complete")
  resume({ db, world, findAttached }, findTask(db, id)!, { text: "Louder." })
  const prompt = findOpenTurn(db, id)?.prompt
  for (const text of ["Say hello.", "Louder."]) expect(prompt).toContain(text)
})
