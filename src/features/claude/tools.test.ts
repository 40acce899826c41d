import type { PreToolUseHookInput } from "@anthropic-ai/claude-agent-sdk"
import { expect, test } from "vitest"
import type { Turn } from "../../kernel/runtime/runtime.ts"
import { refuseWrites } from "./tools.ts"

/** The hook's answer about a tool, in a phase. */
async function said(tool: string, phase: Turn["phase"], onlyReads = false) {
  const input = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: {} }
  const { signal } = new AbortController()
  return await refuseWrites(() => ({ phase, onlyReads }))(input as PreToolUseHookInput, undefined, {
    signal,
  })
}

test("during planning, only tools that write files are refused", async () => {
  for (const tool of ["Edit", "Write", "NotebookEdit"])
    expect(await said(tool, "planning")).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    })
  for (const tool of ["Read", "Bash", "Grep"]) expect(await said(tool, "planning")).toEqual({})
  expect(await said("Write", "working")).toEqual({})
})

test("a reviewer uses no tool that writes files [47.8]", async () => {
  expect(await said("Edit", "working", true)).toMatchObject({
    hookSpecificOutput: { permissionDecisionReason: expect.stringContaining("review") },
  })
  expect(await said("Bash", "working", true)).toEqual({})
})
