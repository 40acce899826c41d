import {
  chmodSync,
  mkdirSync,
  mkdtempDisposableSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { defaultConfig, parseConfig } from "../../config/parse.ts"
import { checkPrograms } from "./agents-check.ts"

const install = (bin: string, name: string, script: string) => {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

/** Without a claude agent. */
const agents = agentsOf("agents: { x: { runtime: codex } }")
const checkAgents = (env: Record<string, string>) => checkPrograms({ agents, isListed: true, env })

function agentsOf(lines: string) {
  const parsed = parseConfig(`version: 1\n${lines}`, {}, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  return parsed.config.agents
}

test("agent programs are listed with version, login, and the command that logs in [28.15]", async () => {
  const home = mkdtempSync(join(tmpdir(), "coppice-agents-"))
  const PATH = join(home, "bin")
  const env = { PATH: `${PATH}:/usr/bin:/bin`, HOME: home }
  const elsewhere = agentsOf("agents: { x: { runtime: command, command: [sh, -c, x] } }")
  const none = await checkPrograms({ agents: elsewhere, isListed: true, env })
  expect(none).toMatchObject([{ name: "agents", state: "ok" }])
  install(PATH, "codex", 'echo "codex-cli 0.169.0"')
  install(PATH, "gemini", "echo 0.61.0")
  install(PATH, "opencode", "exit 1")
  const found = await checkAgents({ ...env, GEMINI_API_KEY: "k" })
  expect(found).toMatchObject([
    { name: "agent codex", text: `0.169.0, no login found in ${home}/.codex`, hint: /codex login/ },
    { name: "agent gemini", text: "0.61.0, logged in (GEMINI_API_KEY)", hint: null },
    { name: "agent opencode", state: "ok", hint: "Install opencode again." },
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

test("without a claude program nothing is said of its login [28.16]", async () => {
  const agents = agentsOf("agents: { a: { runtime: claude-cli } }")
  const env = { PATH: "/nowhere", HOME: "/nowhere", COPPICE_CLAUDE: "/gone" }
  const found = await checkPrograms({ agents, isListed: true, env })
  expect(found.map(({ name }) => name)).toEqual(["claude", "agents"])
})

test("a missing or broken program is a failure only if an agent here needs it [28.16]", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "coppice-agents-"))
  const PATH = join(home.path, "bin")
  const env = { PATH: `${PATH}:/usr/bin:/bin`, HOME: home.path, COPPICE_CLAUDE: "/gone" }
  const states = async (lines: string | undefined) => {
    const isListed = lines !== undefined
    const agents = isListed ? agentsOf(lines) : defaultConfig("app").agents
    const checks = await checkPrograms({ agents, isListed, env })
    return Object.fromEntries(checks.map(({ name, state }) => [name, state]))
  }
  const acp = "agents: { x: { runtime: acp, command: [opencode, acp] } }"
  const sh = 'agents: { x: { runtime: command, command: "aider --message x" } }'

  expect(await states(undefined)).toMatchObject({ claude: "failed", agents: "ok" })
  expect(await states(sh)).toEqual({ "agent aider": "failed" })
  install(PATH, "opencode", "exit 1")
  expect(await states(undefined)).toMatchObject({ claude: "failed", "agent opencode": "ok" })
  expect(await states(sh)).toEqual({ "agent opencode": "ok", "agent aider": "failed" })
  expect(await states(acp)).toEqual({ "agent opencode": "failed" })
  install(PATH, "codex", 'echo "codex-cli 0.169.0"')
  expect(await states(undefined)).toMatchObject({ claude: "ok", "agent codex": "ok" })
  expect(await states("agents: { x: {} }")).toMatchObject({ claude: "failed" })
  const [claude] = await checkPrograms({
    agents: defaultConfig("app").agents,
    isListed: false,
    env,
  })
  expect(claude?.hint).toMatch(/`coppice run --agent codex` does without it/)
})

test("a program that coppice.yml names and that is missing fails, with the command that helps [28.16]", async () => {
  const agents = agentsOf(`agents:
  a: { runtime: codex }
  b: { runtime: acp, command: [gemini, --acp], review: { by: d } }
  c: { runtime: acp, command: [unheard-of, --acp], plan: { by: f, mode: auto } }
  d: { runtime: command, command: [nope, '{prompt}'], resume: [nope-again] }
  e: { runtime: command, command: 'X=1 nope --do && /gone/too', fallback: [a] }
  f: { runtime: acp, command: [/gone/agent] }
  g: { runtime: acp, command: [./relative] }
  h: { runtime: acp, command: [in-image], containment: container, container: { image: x } }`)
  const env = { PATH: "/nowhere", HOME: "/nowhere" }
  const look = (more = {}) => checkPrograms({ agents, isListed: true, env: { ...env, ...more } })
  const found = await look()
  expect(found.map(({ name, state }) => [name, state])).toEqual(
    ["codex", "gemini", "unheard-of", "nope", "nope-again", "/gone/agent"].map((name) => [
      `agent ${name}`,
      "failed",
    ]),
  )
  expect(found).toMatchObject([
    { text: /no program codex, which agents\.a starts/, hint: /openai\/codex`.*COPPICE_CODEX/ },
    { hint: "Install it: `npm install -g @google/gemini-cli`." },
    { text: /agents\.c/, hint: /on the PATH of Coppice.*`agents\.c\.command`/ },
    { text: /agents\.d, agents\.e start/ },
    {},
    {},
  ])
  const [codex] = await look({ COPPICE_CODEX: "/gone/codex" })
  expect(codex).toMatchObject({ state: "failed", text: /COPPICE_CODEX names no program: \/gone/ })
})

test("doctor looks for each account's login in the environment of its agents [28.18]", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "coppice-agents-"))
  const PATH = join(home.path, "bin")
  install(PATH, "codex", 'echo "codex-cli 0.169.0"')
  mkdirSync(join(home.path, ".codex"))
  writeFileSync(join(home.path, ".codex/auth.json"), "{}")
  const other = join(home.path, "other")
  const agents = agentsOf(`agents:
  a: { runtime: codex }
  b: { runtime: codex, env: { CODEX_HOME: ${other} } }
  c: { runtime: codex, env: { OPENAI_API_KEY: sk-secret } }`)
  const env = { PATH: `${PATH}:/usr/bin:/bin`, HOME: home.path }
  const found = await checkPrograms({ agents, isListed: true, env })
  expect(found).toMatchObject([
    { name: "agent codex", text: `0.169.0, logged in (${home.path}/.codex/auth.json)` },
    {
      name: "agent b",
      text: `codex 0.169.0, no login found in ${other}`,
      hint: `If it is not logged in: \`CODEX_HOME=${other} codex login\`, or set OPENAI_API_KEY.`,
    },
    { name: "agent c", text: "codex 0.169.0, logged in (OPENAI_API_KEY)" },
  ])
  expect(JSON.stringify(found)).not.toContain("sk-secret")
})

test("a program that is too old says its version, the one it needs, and how to update it [28.19]", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "coppice-agents-"))
  const PATH = join(home.path, "bin")
  const env = { PATH: `${PATH}:/usr/bin:/bin`, HOME: home.path, COPPICE_CODEX: "my-codex" }
  install(PATH, "my-codex", 'echo "codex-cli 0.42.0"')
  install(PATH, "gemini", "echo 0.32.1")
  install(PATH, "claude", 'echo "1.0.128 (Claude Code)"')
  expect(await checkAgents(env)).toMatchObject([
    { name: "agent claude", state: "ok", hint: "`claude update` updates it." },
    {
      name: "agent codex",
      state: "failed",
      text: "codex 0.42.0 is too old: Coppice needs 0.99 or newer",
      hint: "`npm install -g @openai/codex@latest` updates it.",
    },
    {
      name: "agent gemini",
      state: "ok",
      text: "gemini 0.32.1 is too old: Coppice needs 0.33 or newer",
    },
  ])
})
