/**
 * The MCP servers of a Claude Code. They go on its command line, which every user of the machine can read.
 * So their values are variables of its environment, and the program inserts them.
 */
import type { McpServerConfig } from "@anthropic-ai/claude-agent-sdk"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"

/** A verb may take this much longer than a person: `check` runs the gate. */
const VERB_MS_MAX = 60 * 60_000

export type ClaudeServers = {
  readonly servers: Readonly<Record<string, McpServerConfig>>
  readonly env: Readonly<Record<string, string>>
}

export function claudeServers({ servers, place, person }: SessionStart): ClaudeServers {
  const env: Record<string, string> = {}
  const hide = (value: string) => {
    const variable = `COPPICE_MCP_${Object.keys(env).length}`
    env[variable] = value
    return `\${${variable}}`
  }
  const hideAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hide(value)]))
  const given = servers.map((server): [string, McpServerConfig] => {
    if (server.kind === "http") {
      const { url, headers } = server
      return [server.name, { type: "http", url: hide(url), headers: hideAll(headers) }]
    }
    const [command = "", ...args] = server.command
    return [server.name, { type: "stdio", command, args, env: hideAll(server.env) }]
  })
  const url = place.env["COPPICE_URL"]
  return {
    servers: {
      ...Object.fromEntries(given),
      ...(url && { coppice: verbs(url, person.waitMsMax) }),
    },
    env,
  }
}

const verbs = (url: string, waitMsMax: number): McpServerConfig => ({
  type: "http",
  url: `${url}/agent/mcp`,
  headers: { Authorization: `Bearer \${COPPICE_TOKEN}` },
  timeout: waitMsMax + VERB_MS_MAX,
  alwaysLoad: true, // an agent that first has to search for `ask` does not ask
})
