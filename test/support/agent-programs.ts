/**
 * Agent programs that tests run and that are not dependencies: each is hundreds of megabytes.
 *
 * `npm run test:agents` fetches them, in these exact versions, into a cache folder outside of the
 * repository. Tests that find no program there say so, and are skipped.
 */
import { globSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

export const AGENT_PROGRAMS = {
  codex: {
    spec: "@openai/codex@0.169.0",
    program: "node_modules/@openai/codex-*/vendor/*/bin/codex",
  },
} as const

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
