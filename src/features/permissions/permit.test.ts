import { mkdirSync, mkdtempDisposableSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { openDb } from "../../kernel/store/open.ts"
import { AgentSecrets } from "../../kernel/tasks/agent-secrets.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { answerQuestion } from "../../kernel/tasks/rows/questions/ask.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { beginTurn } from "../../kernel/tasks/rows/turns/begin.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { ALLOW } from "../../kernel/tasks/rules/question.ts"
import { permit } from "./permit.ts"

test("a rule on a path holds for a path that leads there through a link [9.12]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-permit-"))
  mkdirSync(join(folder.path, "secrets"))
  symlinkSync("secrets", join(folder.path, "notes"))
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const context = {
    db,
    world: { nowMs: () => 1, dice: () => 0, point: () => {} },
    secrets: new AgentSecrets(),
  }
  const permissions = { default: "allow", allow: [], ask: [], deny: ["Edit(secrets/**)"] } as const
  const asked = { task, permissions, cwd: folder.path, waitMsMax: 1 }
  const { signal } = new AbortController()
  const edit = async (file_path: string) =>
    (await permit(context, asked, { use: { tool: "Edit", input: { file_path } }, signal })).kind
  expect(await edit(join(folder.path, "notes/key"))).toBe("denied")
  expect(await edit("notes/deep/key")).toBe("denied")
  expect(await edit("other/key")).toBe("allowed")
})

test("a tool use that is too long for a person to read is denied without asking [36.3]", async () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const world = { nowMs: () => 1, dice: () => 0, point: () => {} }
  const permissions = { default: "ask", allow: [], ask: [], deny: [] } as const
  const use = { tool: "Bash", input: { command: `ls ${" ".repeat(70_000)}; rm -rf .` } }
  const asked = { task, permissions, cwd: "/w", waitMsMax: 1 }
  const { signal } = new AbortController()
  expect(await permit({ db, world, secrets: new AgentSecrets() }, asked, { use, signal })).toEqual({
    kind: "denied",
    message: expect.stringContaining("too long to read"),
  })
  expect(listOpenQuestions(db, task)).toEqual([])
})

test("an answer for one credential is none for another, though a person sees neither [9.6, 29.5]", async () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  forceState(db, task, "working")
  const session = "5e55" as SessionId
  addSession(db, { id: session, job: startJob(db, task, 1).id }, 1)
  beginTurn(db, openTurn(db, { task, session, prompt: "go" }, 1), 1)
  const secrets = new AgentSecrets()
  secrets.learn(task, { ONE_TOKEN: "ghp_0123456789abcd", OTHER_TOKEN: "ghp_9876543210abcd" })
  const world = { nowMs: () => 1, dice: () => 0, point: () => {} }
  const permissions = { default: "ask", allow: [], ask: [], deny: [] } as const
  const { signal } = new AbortController()
  const ask = async (command: string) =>
    await permit(
      { db, world, secrets },
      { task, permissions, cwd: "/w", waitMsMax: 1 },
      {
        use: { tool: "Bash", input: { command } },
        signal,
      },
    )
  await ask("login ghp_0123456789abcd")
  const [asked] = listOpenQuestions(db, task)
  expect(asked?.text).toBe("use Bash: login [redacted]")
  answerQuestion(db, asked!, ALLOW, 2)
  expect(await ask("login ghp_0123456789abcd")).toEqual({ kind: "allowed" })
  expect(await ask("login ghp_9876543210abcd")).toMatchObject({ kind: "denied" })
  expect(await ask("login [redacted]")).toMatchObject({ kind: "denied" })
})
