import { expect, test } from "vitest"
import { sandboxDemanded } from "./demanded-sandbox.ts"

const SCRUBS = { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1" }
const GEMINI = { runtime: "acp", command: ["gemini", "--acp"] }

test.each<[demanded: boolean, by: string, agent: object, daemon?: Record<string, string>]>([
  [true, "sandbox", { runtime: "claude", env: SCRUBS }],
  [true, "none", { runtime: "claude-cli" }, { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "true" }],
  [true, "container", { runtime: "acp", command: ["npx", "claude-agent-acp"] }, SCRUBS],
  [true, "sandbox", { ...GEMINI, env: { GEMINI_SANDBOX: "docker" } }],
  [false, "none", { ...GEMINI, env: { GEMINI_SANDBOX: "docker" } }],
  [false, "none", { runtime: "claude", env: { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "0" } }, SCRUBS],
  [false, "sandbox", { runtime: "claude" }, { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "" }],
  [false, "sandbox", { runtime: "claude" }, { GEMINI_SANDBOX: "true" }],
  [false, "sandbox", { runtime: "codex" }, SCRUBS],
])("a variable that makes the program's own sandbox is named: %j, %s, %j, %j [43.43]", (...of) => {
  const [demanded, by, agent, daemon = {}] = of
  const config = { command: undefined, env: {}, containment: { by }, ...agent }
  expect(sandboxDemanded(config as never, daemon) !== undefined).toBe(demanded)
})
