import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../../test/support/store.ts"
import { assert } from "../../../base/assert.ts"
import type { AgentConfig } from "../../../config/config.ts"
import type { RuntimeName } from "../../../config/runtimes.ts"
import { openDb } from "../../store/open.ts"
import { findTask } from "../rows/find.ts"
import { listWaitingMessages } from "../rows/messages-now.ts"
import { beginTurn } from "../rows/turns/begin.ts"
import { openNextTurn } from "../rows/turns/open.ts"
import { sayNow } from "./say.ts"

const world = { nowMs: () => 1, dice: () => 0, point: () => {} }

/** @returns the messages that wait for the turn that runs. */
function saidTo(runtime: RuntimeName, { isBegun }: { readonly isBegun: boolean }): string[] {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  addSampleSession(db, id)
  const turn = openNextTurn(db, { task: id, prompt: "Work." }, 1)
  if (isBegun) beginTurn(db, turn, 1)
  const task = findTask(db, id)
  assert(task, "the task is there")
  const findAgent = () => ({ runtime }) as AgentConfig
  sayNow({ db, world, findAgent }, task, { text: "Mind the gap." })
  return listWaitingMessages(db, id).map(({ text }) => text)
}

test.each(["claude", "claude-cli", "codex", "acp"] as const)(
  "%s takes words now [16.7]",
  (runtime) => {
    expect(saidTo(runtime, { isBegun: true })).toEqual(["Mind the gap."])
  },
)

test("a command that runs takes none, and the refusal says what does [16.8]", () => {
  expect(() => saidTo("command", { isBegun: true })).toThrow(
    expect.objectContaining({
      code: "task.refused",
      hints: [expect.stringContaining("coppice say"), expect.stringContaining("coppice pause")],
    }),
  )
  expect(saidTo("command", { isBegun: false })).toEqual(["Mind the gap."])
})
