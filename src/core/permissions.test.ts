import { expect, test } from "vitest"
import { type Decision, decide, isGuarded, type Permissions, parseRule } from "./permissions.ts"

const NONE: Permissions = { default: "allow", allow: [], ask: [], deny: [] }
const bash = (command: string) => ({ tool: "Bash", input: { command } })
const write = (file_path: string) => ({ tool: "Write", input: { file_path } })

function decided(use: Parameters<typeof decide>[1], rules: Partial<Permissions>): Decision {
  return decide({ ...NONE, ...rules }, use, "/work/tree")
}

test("without a rule the default decides", () => {
  expect(decided(bash("ls"), {})).toBe("allow")
  expect(decided(bash("ls"), { default: "ask" })).toBe("ask")
  expect(decided(bash("ls"), { default: "deny", allow: ["Bash"] })).toBe("allow")
})

test("what forbids wins over what asks, and that over what allows", () => {
  const rules = { deny: ["Bash(rm *)"], ask: ["Bash(git push *)", "Bash(rm *)"], allow: ["Bash"] }
  expect(decided(bash("rm -rf build"), rules)).toBe("deny")
  expect(decided(bash("git push"), rules)).toBe("ask")
  expect(decided(bash("git push origin main"), rules)).toBe("ask")
  expect(decided(bash("git pushed"), rules)).toBe("allow")
})

test("a command that is one of several is seen, and one of several is not enough to allow them", () => {
  const lines = ["cd a && rm x", "true; rm x", "echo $(rm x)", "ls | rm x", "ls\nrm x", "`rm x`"]
  for (const line of lines)
    expect([line, decided(bash(line), { deny: ["Bash(rm *)"] })]).toEqual([line, "deny"])
  const rules = { default: "deny", allow: ["Bash(ls *)", "Bash(cat *)"] } as const
  expect(decided(bash("ls -l | cat"), rules)).toBe("allow")
  expect(decided(bash("ls -l; curl x"), rules)).toBe("deny")
})

test("a path is known by its name in the worktree and by its whole name", () => {
  expect(decided(write("/work/tree/src/a.ts"), { deny: ["Write(src/*)"] })).toBe("deny")
  expect(decided(write("/work/tree/src/a.ts"), { deny: ["Write(/work/tree/*)"] })).toBe("deny")
  expect(decided(write("/work/tree/test/a.ts"), { deny: ["Write(src/*)"] })).toBe("allow")
  expect(decided(write("/etc/passwd"), { ask: ["Write(/etc/*)"] })).toBe("ask")
})

test("names of tools take a star, and other tools are known by their input", () => {
  const use = { tool: "mcp__tracker__close", input: { id: 7 } }
  expect(decided(use, { ask: ["mcp__tracker__*"] })).toBe("ask")
  expect(decided(use, { deny: ['mcp__*({"id":7})'] })).toBe("deny")
  const fetch = { tool: "WebFetch", input: { url: "https://example.com/x" } }
  expect(decided(fetch, { deny: ["WebFetch(https://example.com/*)"] })).toBe("deny")
})

test("what is no rule is told apart, and what can have no effect too", () => {
  for (const text of ["", "Bash(", "Bash()", "(x)", "a b"]) expect(parseRule(text)).toBeUndefined()
  expect(isGuarded(NONE)).toBe(false)
  expect(isGuarded({ ...NONE, allow: ["Bash"] })).toBe(false)
  expect(isGuarded({ ...NONE, deny: ["Bash"] })).toBe(true)
})
