/** The arguments of the `claude` program for a conversation over its input and output. */
import type { Options } from "@anthropic-ai/claude-agent-sdk"

/** Covers the options that claude-options.ts sets; the rest goes with the first request. */
export function claudeArguments(options: Options): string[] {
  const {
    model,
    maxTurns,
    maxBudgetUsd,
    mcpServers,
    settingSources = [],
    resume,
    sessionId,
  } = options
  const valued = {
    "max-turns": maxTurns,
    "max-budget-usd": maxBudgetUsd,
    model,
    "permission-mode": options.permissionMode,
    resume,
    "session-id": sessionId,
    "mcp-config": mcpServers && JSON.stringify({ mcpServers }),
  }
  return [
    ...["-p", "--verbose", "--output-format=stream-json", "--input-format=stream-json"],
    ...["--permission-prompt-tool=stdio", `--setting-sources=${settingSources.join(",")}`],
    ...(options.strictMcpConfig ? ["--strict-mcp-config"] : []),
    ...(options.additionalDirectories ?? []).map((folder) => `--add-dir=${folder}`),
    ...Object.entries(valued).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    ),
  ]
}
