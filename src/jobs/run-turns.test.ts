import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../test/support/store.ts"
import { defaultConfig } from "../core/config/parse.ts"
import type { SessionId } from "../core/ids.ts"
import { startJob } from "../store/jobs/record.ts"
import { openDb } from "../store/open.ts"
import { addSession } from "../store/sessions/record.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import { findOpenTurn } from "../store/turns/find.ts"
import { openTurn } from "../store/turns/open.ts"
import type { JobsContext } from "./context.ts"
import { runTurns } from "./run-turns.ts"

test.each(["paused", "cancelled"] as const)(
  "no agent starts for a task that was %s while its worktree was made",
  async (event) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db)
    forceState(db, id, "working")
    const session = "5e55" as SessionId
    addSession(db, { id: session, job: startJob(db, id, 1000).id }, 1000)
    openTurn(db, { task: id, session, prompt: "go" }, 1000)
    const bugs: unknown[] = []
    const runtime = {
      holder: () => "coder",
      unavailable: async () => {
        recordTask(db, findTask(db, id)!, { event }, 2000)
      },
      run: async () => expect.unreachable("an agent was started"),
    }
    const context = {
      db,
      taskLock: { hold: async () => {} },
      world: { nowMs: () => 2000 },
      findAgent: () => undefined,
      agentConfig: () => defaultConfig("app").agents[0]!,
      runtime: () => runtime,
      agentEnvironment: () => ({}),
      onBug: (error: unknown) => bugs.push(error),
    } as unknown as JobsContext

    await runTurns(context, id, new AbortController().signal)

    expect(bugs).toEqual([])
    expect(findTask(db, id)?.state).toBe(event)
    expect(findOpenTurn(db, id)?.begunAtMs ?? null).toBeNull()
  },
)
