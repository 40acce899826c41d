/** Keys that repeat another key. */
import { expect, test } from "vitest"
import { parseConfig } from "./parse.ts"

function problems(text: string) {
  const parsed = parseConfig(text, {}, "app")
  if (parsed.kind === "ok") throw new Error("expected problems")
  return Object.fromEntries(parsed.problems.map(({ path, message }) => [path, message]))
}

function config(text: string) {
  const parsed = parseConfig(text, {}, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

test("`push_on_success` and `create_pr` may repeat how work lands, and may not differ from it [31.10]", () => {
  const text = (mode: string, said: boolean) => `
version: 1
agents:
  a:
    landing: { mode: ${mode} }
    workspace: { push_on_success: ${said}, create_pr: ${said} }`
  for (const [mode, said] of [
    ["pr", true],
    ["merge", false],
    ["none", false],
  ] as const)
    expect(config(text(mode, said)).agents).toHaveLength(1)
  for (const [mode, said] of [
    ["pr", false],
    ["merge", true],
    ["none", true],
  ] as const) {
    const found = problems(text(mode, said))
    expect(Object.keys(found)).toEqual([
      "agents.a.workspace.push_on_success",
      "agents.a.workspace.create_pr",
    ])
    for (const message of Object.values(found)) expect(message).toContain("`landing: { mode: pr }`")
  }
})
