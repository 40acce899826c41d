import { expect, test } from "vitest"
import { addSampleTask } from "../../test/support/store.ts"
import { openDb } from "../store/open.ts"
import { listOpenQuestions } from "../store/questions/list.ts"
import { AgentSecrets } from "./agent-secrets.ts"
import { permit } from "./permit.ts"

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
