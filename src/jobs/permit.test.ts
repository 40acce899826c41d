import { mkdirSync, mkdtempDisposableSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { addSampleTask } from "../../test/support/store.ts"
import { openDb } from "../store/open.ts"
import { listOpenQuestions } from "../store/questions/list.ts"
import { AgentSecrets } from "./agent-secrets.ts"
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
