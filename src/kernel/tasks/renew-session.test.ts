import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { defaultConfig } from "../../config/parse.ts"
import { forksIn } from "../../features/forks/forks.ts"
import { openDb } from "../store/open.ts"
import { beginTask } from "./begin-task.ts"
import { promptFor, renewSession } from "./renew-session.ts"
import { findTask } from "./rows/find.ts"
import { replaceJob, startJob } from "./rows/jobs/record.ts"
import { addSession, recordHolder } from "./rows/sessions/record.ts"
import { setMessage } from "./rows/texts.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { closeTurn } from "./rows/turns/end.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { openTurn } from "./rows/turns/open.ts"
import { NO_USAGE } from "./rules/usage.ts"

/** A fork of a task whose conversation `heldBy` holds, just before its first turn. */
function forked(heldBy: string, planMode: "none" | "approve" = "none") {
  const db = openDb(":memory:")
  const session = "earlier" as SessionId
  const first = addSampleTask(db, { prompt: "Say hello." }).id
  addSession(db, { id: session, job: startJob(db, first, 1).id }, 1)
  beginTurn(db, openTurn(db, { task: first, session, prompt: "go" }, 1), 1)
  recordHolder(db, session, heldBy)
  setMessage(db, first, "I said it.")
  forceState(db, first, "in_approval")
  const second = addSampleTask(db, { prompt: "Louder.", on: first, forks: true, planMode })
  const context = {
    db,
    world: { nowMs: () => 5, dice: () => 0, point: () => {} },
    mintSessionId: () => "copy" as SessionId,
    findAgent: () => undefined,
    findAttached: () => undefined,
    agentConfig: () => defaultConfig("app").agents[0]!,
    runtime: () => ({ holder: () => "claude ~" }) as never,
    agentEnvironment: () => ({}),
    forks: forksIn(db),
    changedFiles: async () => ({ files: [], inAll: 0 }),
  }
  beginTask(context, second)
  const turn = () => findOpenTurn(db, second.id)!
  return { db, context, id: second.id, turn, renewed: () => renewSession(context, turn()) }
}

test("a fork for the same program gets a prompt that speaks of a copy [16.10]", async () => {
  const { prompt } = await forked("claude ~").renewed()
  expect(prompt).toMatch(/your own copy[^]*Louder\./)
})

test("a fork for another program gets a brief, also when it is repeated [16.10]", async () => {
  const { renewed } = forked("codex ~")
  const { prompt, session } = await renewed()
  expect(session).toBe("copy")
  expect(prompt).not.toContain("your own copy")
  for (const text of ["Louder.", "Say hello.", "I said it."]) expect(prompt).toContain(text)
  expect((await renewed()).prompt).toBe(prompt)
})

test("the brief of a fork that plans asks for the plan [16.10]", async () => {
  const { prompt } = await forked("codex ~", "approve").renewed()
  expect(prompt).toMatch(/plan/i)
  expect(prompt).toContain("Say hello.")
})

test("a fallback of a restarted fork without changes has the prompt of its restart [50.1]", async () => {
  const { db, context, id, turn } = forked("claude ~")
  closeTurn(db, turn(), { usage: NO_USAGE, message: null }, 2)
  const session = "restarted" as SessionId
  addSession(db, { id: session, job: replaceJob(db, id, 3).id }, 3)
  openTurn(db, { task: id, session, prompt: "Louder. A person says: in German." }, 3)
  expect(await promptFor(context, findTask(db, id)!, turn())).toContain("in German")
})
