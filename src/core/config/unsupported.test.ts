/** Keys that are planned, or that repeat another key. */
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

test("a planned key is accepted if it asks for nothing", () => {
  const text = (source: string) => `
version: 1
agents:
  a:
    hooks: { before_run: [], on_error: [] }
    schedules: { s: { interval: 1h, prompt: x, work_source: ${source} } }`
  expect(config(text("{}")).agents).toHaveLength(1)
  expect(Object.keys(problems(text("{ type: github }")))).toEqual([
    "agents.a.schedules.s.work_source",
  ])
})

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

test("a planned key is no unknown one, and its message says what to write today", () => {
  const text = `
version: 1
agents:
  a:
    schedules: { b: { interval: 5m, prompt: x, work_source: { type: github, repo: a/b } } }`
  expect(problems(text)).toEqual({
    "agents.a.schedules.b.work_source": expect.stringMatching(/^is not supported .*`sources: {/),
  })
})
