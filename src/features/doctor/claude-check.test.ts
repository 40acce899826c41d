import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import type { AgentConfig } from "../../config/config.ts"
import { checkClaude, checkLogins } from "./claude-check.ts"

const scratch = mkdtempSync(join(tmpdir(), "coppice-claude-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const program = join(scratch, "claude")
writeFileSync(program, "the doctor only looks for this file and never runs it")
chmodSync(program, 0o755)

test("finds the program on the PATH, and prefers one that is named", () => {
  expect(checkClaude({ PATH: `/nowhere:${scratch}` })).toMatchObject({ state: "ok", text: program })
  const named = { PATH: "/nowhere", COPPICE_CLAUDE: program }
  expect(checkClaude(named)).toMatchObject({ state: "ok", text: program })
})

test("a named program that does not exist is a failure, and the search ends there", () => {
  const wrong = { PATH: scratch, COPPICE_CLAUDE: join(scratch, "gone") }
  expect(checkClaude(wrong)).toMatchObject({ state: "failed", text: /COPPICE_CLAUDE/ })
})

test("a folder called claude is not taken for the program", () => {
  const bin = join(scratch, "bin")
  mkdirSync(join(bin, "claude"), { recursive: true })
  expect(checkClaude({ PATH: bin }).text).not.toContain(bin)
})

test("the program that npm nests under the SDK is found [28.14]", () => {
  const sdk = join(scratch, "node_modules/@anthropic-ai/claude-agent-sdk")
  const name = `claude-agent-sdk-${process.platform}-${process.arch}`
  const nested = join(sdk, "node_modules/@anthropic-ai", name)
  mkdirSync(nested, { recursive: true })
  writeFileSync(join(sdk, "package.json"), '{"main":"index.js"}')
  writeFileSync(join(sdk, "index.js"), "")
  const found = () => checkClaude({ PATH: "/nowhere" }, join(scratch, "coppice.js"))
  expect(found()).toMatchObject({ state: "failed", text: "there is no claude program" })
  writeFileSync(join(nested, "claude"), "")
  expect(found()).toMatchObject({ state: "ok", text: /uses the one of the Agent SDK/ })
})

test("the login is an API key or a credentials file; otherwise claude handles it [28.14]", () => {
  const [key, none] = [{ ANTHROPIC_API_KEY: "k" }, { HOME: scratch }]
  expect(checkLogins([], key)).toMatchObject([{ name: "login", text: "ANTHROPIC_API_KEY" }])
  expect(checkLogins([], none)).toMatchObject([{ state: "ok", hint: /not logged in/ }])
  mkdirSync(join(scratch, ".claude"))
  writeFileSync(join(scratch, ".claude/.credentials.json"), "{}")
  expect(checkLogins([], none)).toMatchObject([{ hint: null }])
})

test("each account of claude is checked in the environment of its agents [28.18]", () => {
  const work = join(scratch, "work account")
  mkdirSync(work)
  writeFileSync(join(work, ".credentials.json"), "{}")
  const agent = (name: string, env: Record<string, string> = {}) => ({ name, env }) as AgentConfig
  const agents = [
    agent("one"),
    agent("two", { CLAUDE_CONFIG_DIR: work }),
    agent("three", { CLAUDE_CONFIG_DIR: work, OTHER: "x" }),
    agent("four", { CLAUDE_CONFIG_DIR: "/gone" }),
    agent("five", { ANTHROPIC_API_KEY: "sk-secret" }),
  ]
  const found = checkLogins(agents, { HOME: "/nowhere" })
  expect(found).toMatchObject([
    { name: "login", text: /no credentials in \/nowhere\/.claude/ },
    { name: "login of two, three", text: join(work, ".credentials.json"), hint: null },
    { name: "login of four", text: /\/gone/, hint: /`CLAUDE_CONFIG_DIR=\/gone claude, then/ },
    { name: "login of five", text: "ANTHROPIC_API_KEY" },
  ])
  expect(JSON.stringify(found)).not.toContain("sk-secret")
})
