import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { checkClaude, checkLogin } from "./claude-check.ts"

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
  expect(checkLogin({ ANTHROPIC_API_KEY: "k" })).toMatchObject({ text: "ANTHROPIC_API_KEY" })
  expect(checkLogin({ HOME: scratch })).toMatchObject({ state: "ok", hint: /log in/ })
  mkdirSync(join(scratch, ".claude"))
  writeFileSync(join(scratch, ".claude/.credentials.json"), "{}")
  expect(checkLogin({ HOME: scratch })).toMatchObject({ hint: null })
})
