/** How Codex is started: its prompt, its permissions, and what it must not load. */
import type { SessionStart } from "./runtime.ts"

/** A verb may take this much longer than a person: `check` runs the gate. */
const VERB_S_MAX = 60 * 60

/**
 * Nothing in the repository may configure the agent: neither its `.codex` folder, nor its AGENTS.md
 * as it is in the worktree. Coppice passes the instructions of the target's commit.
 */
export function codexArguments({ place: { cwd, env }, person }: SessionStart): string[] {
  const url = env["COPPICE_URL"]
  const timeoutS = Math.ceil(person.waitMsMax / 1000) + VERB_S_MAX
  const settings = {
    project_doc_max_bytes: 0,
    check_for_update_on_startup: false,
    projects: { [cwd]: { trust_level: "untrusted" } },
    ...(url && {
      "mcp_servers.coppice.url": `${url}/agent/mcp`,
      // The program reads the token from its environment, so it is on no command line.
      "mcp_servers.coppice.bearer_token_env_var": "COPPICE_TOKEN",
      "mcp_servers.coppice.tool_timeout_sec": timeoutS,
    }),
  }
  return [
    "app-server",
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${toml(value)}`]),
  ]
}

const toml = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .map(([key, inner]) => `${JSON.stringify(key)}=${toml(inner)}`)
        .join(",")}}`
    : JSON.stringify(value)

export async function threadSettings({ place, model, conversation }: SessionStart) {
  return {
    cwd: place.cwd,
    approvalPolicy: "never",
    sandbox: "danger-full-access",
    developerInstructions: await conversation.systemPrompt(),
    ...(model && { model }),
  }
}
