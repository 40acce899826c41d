import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { AgentConfig } from "../../config/config.ts"
import { parseConfig } from "../../config/parse.ts"
import { TestSession } from "../../kernel/runtime/contract.ts"
import { acpRuntime } from "../acp/runtime.ts"
import { claudeCliRuntime } from "../claude/runtime.ts"
import { codexRuntime } from "../codex/runtime.ts"
import { outdatedProgram } from "./outdated-program.ts"

type Env = { PATH: string; HOME: string }

const RUNTIMES = {
  claude: (env: Env) => claudeCliRuntime({ env }),
  codex: (env: Env) => codexRuntime({ env }),
  gemini: ({ PATH }: Env) => acpRuntime({ command: ["gemini", "--acp"], path: PATH }),
}
const AGENTS = {
  claude: "{ runtime: claude-cli }",
  codex: "{ runtime: codex }",
  gemini: "{ runtime: acp, command: [gemini, --acp] }",
}

/** Ends a session with a program that prints this version, and refuses all else. */
async function endWith(
  name: keyof typeof RUNTIMES,
  version: string,
  changed: (agent: AgentConfig) => AgentConfig = (agent) => agent,
) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "outdated-"))
  const asked = join(folder.path, "asked")
  const script = `echo "$1$FENCE" >> ${asked}; [ "$1" = --version ] && echo "${version}" && exit; echo "error: unknown $1" >&2; exit 2`
  writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder.path, name), 0o755)
  const parsed = parseConfig(`version: 1\nagents: { a: ${AGENTS[name]} }`, {}, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  const env = { PATH: `${folder.path}:/usr/bin:/bin`, HOME: folder.path }
  const agent = changed(parsed.config.agents[0]!)
  const runtime = outdatedProgram(RUNTIMES[name](env), agent)
  await using session = new TestSession()
  const start = session.start({ prompt: "hi", env })
  const fenced: typeof start.spawn = (command, args, options) =>
    start.spawn(command, args, { ...options, env: { ...options.env, FENCE: " in its fence" } })
  const end = await runtime.run({ ...start, spawn: fenced })
  return { end, asked: readFileSync(asked, "utf8").trim().split("\n") }
}

test.each([
  [
    "claude",
    "1.0.17 (Claude Code)",
    "claude 1.0.17 is too old: Coppice needs 2.0 or newer. `claude update` updates it.",
  ],
  [
    "codex",
    "codex-cli 0.42.0",
    "codex 0.42.0 is too old: Coppice needs 0.99 or newer. `npm install -g @openai/codex@latest` updates it.",
  ],
  [
    "gemini",
    "0.32.1",
    "gemini 0.32.1 is too old: Coppice needs 0.33 or newer. `npm install -g @google/gemini-cli@latest` updates it.",
  ],
] as const)(
  "%s that is too old to start says so, and how to update it; it is asked in its fence [28.19, 43.3]",
  async (name, version, text) => {
    const { end, asked } = await endWith(name, version)
    expect(end).toMatchObject({ kind: "stuck", text: expect.stringContaining(text) })
    expect(end).toMatchObject({ text: expect.stringContaining("unknown") }) // the program's words
    expect(asked[0]).not.toMatch("--version") // only after a start that failed
    expect(asked.at(-1), "an agent may have made it").toBe("--version in its fence")
  },
)

test("a new program that does not start keeps its own words", async () => {
  const { end } = await endWith("codex", "codex-cli 0.169.0")
  expect(end).toMatchObject({ kind: "stuck", code: "died", text: /unknown/ })
})

test("for an agent in a container, no program of the machine is asked", async () => {
  const { asked } = await endWith("codex", "codex-cli 0.42.0", (agent) => ({
    ...agent,
    containment: { ...agent.containment, by: "container" },
  }))
  expect(asked.join()).not.toContain("--version")
})
