import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestSession } from "../../kernel/runtime/contract.ts"
import { codexExecRuntime } from "./runtime.ts"

/** A program that says these lines, and then fails with this text. */
async function runFailing(session: TestSession, lines: readonly object[], text: string) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "codex-"))
  const said = lines.map((line) => JSON.stringify(line)).join("\n")
  const script = `#!/bin/sh\ncat > /dev/null\necho run >> runs\ncat <<'E'\n${said}\nE\necho '${text}' >&2\nexit 1\n`
  writeFileSync(join(folder.path, "codex"), script, { mode: 0o755 })
  const runtime = codexExecRuntime({ env: { PATH: folder.path } })
  const env = { PATH: "/usr/bin:/bin", HOME: folder.path }
  return await runtime.run(session.start({ prompt: "do it", env, resume: true }))
}

test("a turn that fails keeps its conversation, whatever a server of it said was not found", async () => {
  await using session = new TestSession()
  session.programId = "019a"
  const lines = [
    { type: "thread.started", thread_id: "019a" },
    { type: "turn.failed", error: { message: "unexpected status 503 Service Unavailable" } },
  ]
  const end = await runFailing(session, lines, "ERROR rmcp: 404 Not Found: Session not found")
  expect(end).toMatchObject({ kind: "postponed" })
  expect(session.texts("notice")).toEqual([])
})
