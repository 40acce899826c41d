import { expect, test } from "vitest"
import {
  type Decision,
  decide,
  describeUse,
  isGuarded,
  type Permissions,
  parseRule,
} from "./rules.ts"

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

test("a deny wins over an ask, and that over an allow", () => {
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

test("a path is known without its detours, and a rule on the worktree's files allows too", () => {
  const rules = { default: "deny", allow: ["Write(src/*)"] } as const
  expect(decided(write("/work/tree/src/a.ts"), rules)).toBe("allow")
  expect(decided(write("./src//a.ts"), rules)).toBe("allow")
  for (const path of ["/work/tree/src/../../../etc/passwd", "src/../.env", "/work/treesrc/a.ts"])
    expect([path, decided(write(path), rules)]).toEqual([path, "deny"])
  expect(decided(write("/work/tree/../../etc/passwd"), { deny: ["Write(/etc/*)"] })).toBe("deny")
})

test("a path that leads elsewhere through a link is known by both names [9.12]", () => {
  const reach = (path: string, reached: string, rules: Partial<Permissions>) =>
    decide({ ...NONE, ...rules }, write(path), "/work/tree", reached)
  const secret = ["src/link/key", "/work/tree/secrets/key"] as const
  expect(reach(...secret, { deny: ["Write(secrets/**)"] })).toBe("deny")
  expect(reach(...secret, { deny: ["Write(src/*)"] })).toBe("deny")
  expect(reach(...secret, { ask: ["Write(/work/tree/secrets/*)"] })).toBe("ask")
  expect(reach(...secret, { default: "ask", allow: ["Write(src/*)"] })).toBe("ask")
  expect(reach(...secret, { default: "ask", allow: ["Write(src/*)", "Write(secrets/*)"] })).toBe(
    "allow",
  )
  const plain = ["src/a.ts", "/work/tree/src/a.ts"] as const
  expect(reach(...plain, { default: "ask", allow: ["Write(src/*)"] })).toBe("allow")
  const outside = ["/tmp/a", "/private/tmp/a"] as const
  expect(reach(...outside, { default: "ask", allow: ["Write(/tmp/*)"] })).toBe("allow")
  expect(reach(...outside, { deny: ["Write(/private/*)"] })).toBe("deny")
})

test("a prefix hides a command from no rule, and is not allowed with it", () => {
  const lines = ["A=1 rm x", `A="b c" B=d rm x`, "if true; then rm x; fi", "{ rm x; }", "! rm  x"]
  for (const line of [...lines, "sudo rm x", "rm\tx"])
    expect([line, decided(bash(line), { deny: ["Bash(rm *)"] })]).toEqual([line, "deny"])
  expect(decided(bash("A=1 ls"), { default: "deny", allow: ["Bash(ls *)"] })).toBe("deny")
})

test("an empty command is allowed by a rule alone", () => {
  const use = { tool: "mcp__shell__run", input: { command: " ;", file: "/etc/passwd" } }
  expect(decided(use, { default: "deny" })).toBe("deny")
})

test("names of tools take a star, and other tools are known by their input", () => {
  const use = { tool: "mcp__tracker__close", input: { id: 7 } }
  expect(decided(use, { ask: ["mcp__tracker__*"] })).toBe("ask")
  expect(decided(use, { deny: ['mcp__*({"id":7})'] })).toBe("deny")
  const fetch = { tool: "WebFetch", input: { url: "https://example.com/x" } }
  expect(decided(fetch, { deny: ["WebFetch(https://example.com/*)"] })).toBe("deny")
})

test("a star stands for any text between what is given, which comes in order and once", () => {
  const rules = { deny: ["Bash(a*b*c)"] }
  for (const [line, decision] of [
    ...(["abc", "a-b-c", "abbc", "a b\tc c"] as const).map((line) => [line, "deny"] as const),
    ...(["ac", "acb", "ab", "xabc", "abcx"] as const).map((line) => [line, "allow"] as const),
  ])
    expect([line, decided(bash(line), rules)]).toEqual([line, decision])
  expect(decided(bash("aba"), { deny: ["Bash(ab*ba)"] })).toBe("allow")
  const long = "ab".repeat(500_000)
  expect(decided(bash(long), { deny: ["Bash(*a*b*a*b*x)"] })).toBe("allow")
})

test("invalid rules are found, and so are rules without effect", () => {
  for (const text of ["", "Bash(", "Bash()", "(x)", "a b"]) expect(parseRule(text)).toBeUndefined()
  expect(isGuarded(NONE)).toBe(false)
  expect(isGuarded({ ...NONE, allow: ["Bash"] })).toBe(false)
  expect(isGuarded({ ...NONE, deny: ["Bash"] })).toBe(true)
})

test("a use is described whole: every key of its input [36.2]", () => {
  expect(describeUse(bash("ls\n-la"))).toBe("use Bash: ls\n  | -la")
  const hidden = {
    tool: "mcp__x",
    input: { command: "ls\u202e", force: true, "k\n": ["a\x1b[2J"] },
  }
  expect(describeUse(hidden)).toBe(
    'use mcp__x: ls\u202e\n  "force": true\n  "k\\n": ["a\\u001b[2J"]',
  )
  const long = { tool: "Write", input: { file_path: "a", content: "x".repeat(60_000) } }
  expect(describeUse(long)).toContain("x".repeat(60_000))
  expect(describeUse({ ...long, input: { content: "x".repeat(70_000) } })).toBeUndefined()
})
