/**
 * Agent programs that tests run and that are not dependencies: each is hundreds of megabytes.
 *
 * `npm run test:agents` fetches them, in these exact versions, into a cache folder outside of the
 * repository. Tests that find no program there say so, and are skipped.
 */
import { globSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

type AgentPackage = {
  readonly spec: string
  /** Where the program is in its folder. */
  readonly program: string
  /** Dependencies that are not needed. */
  readonly omit?: "optional"
}

export const AGENT_PROGRAMS = {
  codex: {
    spec: "@openai/codex@0.169.0",
    program: "node_modules/@openai/codex-*/vendor/*/bin/codex",
  },
  gemini: { spec: "@google/gemini-cli@0.61.0", program: "node_modules/.bin/gemini" },
  devcontainer: {
    spec: "@devcontainers/cli@0.89.0",
    program: "node_modules/.bin/devcontainer",
  },
  opencode: {
    spec: "opencode-ai@1.18.33",
    program: "node_modules/opencode-{linux,darwin}-*/bin/opencode",
  },
  // Without their own copies of claude and codex: they get those that the other tests run.
  "claude-agent-acp": {
    spec: "@agentclientprotocol/claude-agent-acp@0.101.0",
    program: "node_modules/.bin/claude-agent-acp",
    omit: "optional",
  },
  "codex-acp": {
    spec: "@agentclientprotocol/codex-acp@2.6.0",
    program: "node_modules/.bin/codex-acp",
    omit: "optional",
  },
} as const satisfies Readonly<Record<string, AgentPackage>>

export type AgentProgramName = keyof typeof AGENT_PROGRAMS

export const cacheFolder = (name: AgentProgramName): string => {
  const root = process.env["COPPICE_AGENTS_CACHE"] ?? join(homedir(), ".cache/coppice-agents")
  return join(root, AGENT_PROGRAMS[name].spec.replace("/", "+"))
}

/** The folder that has the program, to go on a PATH; undefined: it was not fetched. */
export function findAgentFolder(name: AgentProgramName): string | undefined {
  const [found] = globSync(AGENT_PROGRAMS[name].program, { cwd: cacheFolder(name) })
  return found && dirname(join(cacheFolder(name), found))
}

/** The variables of an OpenCode that uses this double of the Messages API, and no other service. */
export function openCodeEnv({ url }: { readonly url: string }): Record<string, string> {
  const options = { baseURL: `${url}/v1`, apiKey: "none" }
  const anthropic = { options, models: { "claude-sonnet-4-5": {} } }
  const config = {
    autoupdate: false,
    model: "anthropic/claude-sonnet-4-5",
    provider: { anthropic },
  }
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_MODELS_FETCH: "1" }
}
