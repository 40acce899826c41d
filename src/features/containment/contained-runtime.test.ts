import { expect, test } from "vitest"
import { demandsSandbox, lacksOnPlatform } from "./contained-runtime.ts"
import type { Network } from "./rules/allowed-hosts.ts"

const SCRUBS = { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1" }

test("a list of hosts is refused where there are no namespaces, before the task starts [43.13]", () => {
  const lacks = (network: Network, platform: string) =>
    lacksOnPlatform({ by: "container", network }, platform)
  expect(lacks(["a.example"], "darwin")?.why).toContain("a list of hosts")
  expect(lacks([], "darwin")).toBeDefined()
  for (const network of [true, false]) expect(lacks(network, "darwin")).toBeUndefined()
  expect(lacks(["a.example"], "linux")).toBeUndefined()
})

test("a sandbox is refused on macOS, before the task starts, and a container named [43.13]", () => {
  const lacks = (platform: string) => lacksOnPlatform({ by: "sandbox", network: true }, platform)
  expect(lacks("darwin")?.why).toBe("a sandbox needs Linux")
  expect(lacks("darwin")?.hints[0]).toContain("Use `container`")
  expect(lacks("linux")).toBeUndefined()
})

test.each<[demanded: boolean, agent: object, daemon?: Record<string, string>]>([
  [true, { runtime: "claude", env: { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1" } }],
  [true, { runtime: "claude-cli" }, { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "true" }],
  [true, { runtime: "acp", command: ["npx", "claude-agent-acp"] }, SCRUBS],
  [true, { runtime: "acp", command: ["gemini", "--acp"], env: { GEMINI_SANDBOX: "docker" } }],
  [false, { runtime: "claude", env: { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "0" } }, SCRUBS],
  [false, { runtime: "claude" }, { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "", GEMINI_SANDBOX: "true" }],
  [false, { runtime: "codex" }, SCRUBS],
])("a variable that demands a sandbox inside of ours is named: %j, %j, %j [43.43]", (...of) => {
  const [demanded, agent, daemon = {}] = of
  const found = demandsSandbox({ command: undefined, env: {}, ...agent } as never, daemon)
  expect(found !== undefined).toBe(demanded)
})
