import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { MessagesApi } from "../../../test/support/messages-api.ts"
import { bash } from "../../../test/support/messages-api-reply.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { areGone, TestSession } from "../../kernel/runtime/contract.ts"
import { chooseClaudeProgram } from "./program.ts"

/** Time within which every process of a dead daemon's agents must be gone. */
const ORPHAN_MS_MAX = 5_000

/** A process that runs a session like a daemon, and can be killed like one. */
const daemonCode = (session: object, mark: string) => `
  import { claudeRuntime } from ${JSON.stringify(join(import.meta.dirname, "runtime.ts"))}
  import { ProcessOwner } from ${JSON.stringify(join(import.meta.dirname, "../../kernel/process/owner.ts"))}
  const owner = new ProcessOwner({ mark: ${JSON.stringify(mark)} })
  const own = { purpose: "agent", task: null }
  const session = ${JSON.stringify(session)}
  await claudeRuntime({ env: process.env }).run({
    ...session,
    signal: new AbortController().signal,
    conversation: { ...session.conversation, systemPrompt: async () => "" },
    report: { event: () => {}, writes: () => {}, usage: () => {}, limit: () => {} },
    endTurn: async () => undefined,
    spawn: (command, args, options) => owner.spawn(command, args, { ...options, ...own }),
  })`

test("when the daemon is killed, claude and its tools end, and the model is not asked again [10.2]", async () => {
  const home = mkdtempSync(join(tmpdir(), "claude-home-"))
  await using session = new TestSession()
  await using api = await MessagesApi.start(() => ({
    tools: [bash("sh -c 'trap \"\" TERM; echo $PPID $$ > pids; while :; do sleep 0.05; done'")],
  }))
  const program = chooseClaudeProgram({ env: {} })
  expect(program.kind).toBe("found")
  const path = { PATH: "/usr/bin:/bin" }
  const start = session.start({ prompt: "do it", env: { ...path, HOME: home, ...api.env } })
  const code = daemonCode(start, `orphan-${process.pid}`)
  const claude = program.kind === "found" ? program.path : ""
  const daemon = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { ...path, COPPICE_CLAUDE: claude },
    stdio: "inherit",
  })
  const pids = await session.pidsIn("pids")
  expect(areGone(pids)).toBe(false)

  daemon.kill("SIGKILL")
  await waitFor("claude and its tool to be gone", () => areGone(pids), ORPHAN_MS_MAX)
  expect(api.asks).toHaveLength(1)
  rmSync(home, { recursive: true, force: true })
})
