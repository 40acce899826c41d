import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { checkAgents } from "./agents-check.ts"

const install = (bin: string, name: string, script: string) => {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

test("agent programs are listed with version, login, and the command that logs in [28.15]", async () => {
  const home = mkdtempSync(join(tmpdir(), "coppice-agents-"))
  const PATH = join(home, "bin")
  const env = { PATH: `${PATH}:/usr/bin:/bin`, HOME: home }
  expect(await checkAgents(env)).toMatchObject([{ name: "agents", state: "ok" }])
  install(PATH, "codex", 'echo "codex-cli 0.169.0"')
  install(PATH, "gemini", "echo 0.61.0")
  install(PATH, "opencode", "exit 1")
  const found = await checkAgents({ ...env, GEMINI_API_KEY: "k" })
  expect(found).toMatchObject([
    { name: "agent codex", text: "0.169.0, no login found", hint: /codex login/ },
    { name: "agent gemini", text: "0.61.0, logged in (GEMINI_API_KEY)", hint: null },
    { name: "agent opencode", state: "failed" },
  ])
  mkdirSync(join(home, ".codex"))
  writeFileSync(join(home, ".codex/auth.json"), "{}")
  const [codex] = await checkAgents(env)
  expect(codex?.text).toContain(`logged in (${home}/.codex/auth.json)`)
  const moved = join(home, "moved")
  mkdirSync(join(moved, ".gemini"), { recursive: true })
  writeFileSync(join(moved, ".gemini/oauth_creds.json"), "{}")
  const [, gemini] = await checkAgents({ ...env, GEMINI_CLI_HOME: moved })
  expect(gemini?.text).toContain(`logged in (${moved}/.gemini/oauth_creds.json)`)
  rmSync(home, { recursive: true })
})
