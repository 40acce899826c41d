import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestSession } from "../../kernel/runtime/contract.ts"
import type { ToolUse } from "../../kernel/runtime/runtime.ts"
import { decide } from "../permissions/rules.ts"
import { CodexApprovals, scriptsIn } from "./approvals.ts"
import { requireAsked, requireAsking } from "./settings.ts"

const HOMEBREW = "/opt/homebrew/bin/bash"

test.each([
  ["/bin/bash -lc 'git status'", ["git status"]],
  ["/usr/bin/zsh -c ls", ["ls"]],
  [`/bin/bash -lc "echo \\"it's "'$HOME"'`, [`echo "it's $HOME"`]],
  [`${HOMEBREW} -lc 'git push'`, ["git push"]],
  ["/work/tree/bash -lc ls", ["ls", "/work/tree/bash -lc ls"]],
  ["bash -lc ls", ["ls", "bash -lc ls"]],
  ["/work/tree/git -c ls", ["/work/tree/git -c ls"]],
  ["/bin/bash -lc ls extra", ["/bin/bash -lc ls extra"]],
  ["/bin/bash script.sh", ["/bin/bash script.sh"]],
  ["/bin/bash -lc 'ls", []],
  ["/bin/bash -lc ls > out", []],
  ["", []],
])("of %s, %j must be allowed", (command, scripts) => {
  expect(scriptsIn(command, HOMEBREW)).toEqual(scripts)
})

test("a rule that denies a script does so in a shell at any place [9.7]", async () => {
  await using session = new TestSession()
  const permissions = { default: "allow", allow: [], ask: [], deny: ["Bash(git push *)"] } as const
  const permit = async (use: ToolUse) =>
    decide(permissions, use, session.cwd) === "allow"
      ? ({ kind: "allowed" } as const)
      : ({ kind: "denied", message: "no" } as const)
  const approvals = new CodexApprovals(session.start({ prompt: "x", permit }))
  const asked = (script: string) => ({
    itemId: "1",
    command: `/nix/store/x/bin/bash -lc '${script}'`,
    cwd: session.cwd,
  })
  expect(await approvals.decide(asked("git push"))).toMatchObject({ why: "no" })
  expect(await approvals.decide(asked("git status"))).toMatchObject({ why: undefined })
})

const DONE = { type: "commandExecution", id: "1", command: "ls", exitCode: 0 }

test("a tool that is used unasked is found out, once rules guard it [9.7]", async () => {
  await using session = new TestSession()
  const permit = async () => ({ kind: "denied", message: "no" }) as const
  const start = session.start({ prompt: "x", permit })
  const params = (item: object) => ({ threadId: "t", item })
  const approvals = new CodexApprovals(start)
  expect(approvals.ended(params(DONE))).toBe("ls")
  for (const item of [
    { ...DONE, exitCode: null, status: "declined" },
    { type: "agentMessage" },
    { type: "mcpToolCall", server: "coppice", tool: "done", status: "completed" },
    { type: "mcpToolCall", server: "x", tool: "y", status: "failed" },
  ])
    expect(approvals.ended(params(item))).toBeUndefined()
  const foreign = { type: "mcpToolCall", server: "x", tool: "y", status: "completed" }
  expect(approvals.ended(params(foreign))).toBe("x: y")
  expect(approvals.ended(params({ type: "webSearch" }))).toBe("webSearch")
  const asked = { threadId: "t", itemId: "1", command: "/bin/sh -c ls", cwd: session.cwd }
  expect(await approvals.decide(asked)).toEqual({ answer: { decision: "decline" }, why: "no" })
  expect(approvals.ended(params(DONE))).toBeUndefined()
  expect(approvals.ended(params(DONE))).toBe("ls")
  const other = { threadId: "u", item: DONE }
  await approvals.decide(asked)
  expect(approvals.ended(other)).toBe("ls")
  expect(new CodexApprovals(session.start({ prompt: "x" })).ended(params(DONE))).toBeUndefined()
})

test("text for a program that runs, and an unknown change, are denied [9.7]", async () => {
  await using session = new TestSession()
  const permit = async () => ({ kind: "allowed" }) as const
  const approvals = new CodexApprovals(session.start({ prompt: "x", permit }))
  for (const asked of [{ kind: "writeStdin", command: "/bin/sh -c ls" }, { itemId: "unknown" }])
    expect(await approvals.decide(asked)).toMatchObject({ answer: { decision: "decline" } })
})

test("a program that would not ask is refused before it works [9.7]", async () => {
  await using session = new TestSession()
  using home = mkdtempDisposableSync(join(tmpdir(), "codex-home-"))
  const start = session.start({ prompt: "x", permit: async () => ({ kind: "allowed" }) })
  const greeting = { userAgent: "coppice/0.169.0 (Debian 12)", codexHome: home.path }
  const old = { ...greeting, userAgent: "coppice/0.168.2 (Debian 12)" }
  expect(() => requireAsking(greeting, start)).not.toThrow()
  expect(() => requireAsking(old, start)).toThrow("need codex 0.169 or newer")
  expect(() => requireAsking({}, start)).toThrow("unknown")
  expect(() => requireAsking(old, session.start({ prompt: "x" }))).not.toThrow()
  mkdirSync(join(home.path, "rules"))
  writeFileSync(join(home.path, "rules/empty.rules"), "")
  expect(() => requireAsking(greeting, start)).not.toThrow()
  writeFileSync(join(home.path, "rules/default.rules"), "x")
  expect(() => requireAsking(greeting, start)).toThrow("default.rules lets some pass")
  const thread = { approvalPolicy: "untrusted", approvalsReviewer: "user" }
  expect(() => requireAsked(thread, start)).not.toThrow()
  for (const change of [{ approvalPolicy: "on-request" }, { approvalsReviewer: "auto_review" }])
    expect(() => requireAsked({ ...thread, ...change }, start)).toThrow("policy of this machine")
})
