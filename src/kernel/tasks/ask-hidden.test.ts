import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { openDb } from "../store/open.ts"
import { AgentSecrets } from "./agent-secrets.ts"
import { askHidden } from "./ask-hidden.ts"
import { startJob } from "./rows/jobs/record.ts"
import { answerQuestion } from "./rows/questions/ask.ts"
import { listOpenQuestions } from "./rows/questions/list.ts"
import { addSession } from "./rows/sessions/record.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { openTurn } from "./rows/turns/open.ts"

const KEY = "ghp_0123456789abcdef"

test("a choice is shown without a credential, and the agent gets it as it wrote it [29.5]", async () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  forceState(db, task, "working")
  addSession(db, { id: "5e55" as SessionId, job: startJob(db, task, 1).id }, 1)
  const turn = openTurn(db, { task, session: "5e55" as SessionId, prompt: "go" }, 1)
  beginTurn(db, turn, 1)
  const secrets = new AgentSecrets()
  secrets.learn(task, { DEPLOY_TOKEN: KEY })
  const context = { db, world: { nowMs: () => 1, dice: () => 0, point: () => {} }, secrets }
  const choices = [`use ${KEY}`, "stop"]
  const asked = { task, kind: "question", text: `Use ${KEY}?`, choices, subject: null } as const
  const { signal } = new AbortController()
  const reply = askHidden(context, asked, { waitMsMax: 10_000, signal })
  const [question] = listOpenQuestions(db, task)
  expect(question).toMatchObject({ text: "Use [redacted]?", choices: ["use [redacted]", "stop"] })
  answerQuestion(db, question!, "use [redacted]", 1)
  expect(await reply).toEqual({ kind: "answered", answer: `use ${KEY}` })
})
