/** How Claude Code is started: what it is told, what it may do, what it does not load. */
import type { HookCallback, McpHttpServerConfig, Options } from "@anthropic-ai/claude-agent-sdk"
import type { OwnedChild } from "../process/owned-child.ts"
import { ClaudeChild } from "./claude-child.ts"
import { answerTools, askBefore, planOnly } from "./claude-tools.ts"
import type { SessionStart, Turn } from "./runtime.ts"

export type ClaudeStart = {
  readonly systemPrompt: string
  /** Absolute path of the claude program. */
  readonly program: string
  readonly session: SessionStart
  readonly resume: boolean
}

/** By how much the program waits longer for the Stop hook than the hook may take. */
const HOOK_MARGIN_S = 60
/** By how much longer than a person a verb may take: `check` runs the gate. */
const VERB_MS_MAX = 60 * 60_000

/** @see https://docs.anthropic.com/en/docs/claude-code/settings for the variables */
const ENV = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  /** Our bound on hand-backs is the one that counts, not the program's on stops refused in a row. */
  CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "0",
}

export type ClaudeHooks = {
  readonly onStop: HookCallback
  /** After each tool call of the conversation and of agents in it. */
  readonly afterTool: HookCallback
}

export function claudeOptions(
  { program, session, resume, systemPrompt }: ClaudeStart,
  { onStop, afterTool }: ClaudeHooks,
  told: { onSpawn(starting: Promise<OwnedChild>): void; phase(): Turn["phase"] },
): Options {
  const { sessionId, cwd, otherWorktrees, env, turn, model, turnsMax, verdictMsMax } = session
  return {
    pathToClaudeCodeExecutable: program,
    cwd,
    additionalDirectories: [...otherWorktrees],
    env: { ...env, COPPICE_TURN: String(turn.n), ...ENV },
    ...(resume ? { resume: sessionId } : { sessionId }),
    ...(model ? { model } : {}),
    maxTurns: turnsMax,
    ...(session.costUsdMax !== undefined && { maxBudgetUsd: session.costUsdMax }),
    // Nothing that lies in the repository configures the agent: its hooks would run unasked.
    settingSources: [],
    strictMcpConfig: true,
    // Without a snapshot, or a resumed conversation would be told of its first worktree for ever.
    systemPrompt: { type: "preset", preset: "claude_code", append: systemPrompt, snapshot: false },
    permissionMode: "default", // bypassPermissions is refused to root
    canUseTool: answerTools(session),
    hooks: {
      PostToolUse: [{ hooks: [afterTool] }],
      Stop: [{ hooks: [onStop], timeout: hookTimeoutS(verdictMsMax) }],
      PreToolUse: [
        { hooks: [planOnly(told.phase)] },
        ...(session.permit
          ? [{ hooks: [askBefore(session.permit)], timeout: hookTimeoutS(session.personMsMax) }]
          : []),
      ],
    },
    ...(env["COPPICE_URL"] && { mcpServers: { coppice: verbs(session) } }),
    spawnClaudeCodeProcess: ({ command, args, env: childEnv }) => {
      const set = Object.entries(childEnv).filter(([, value]) => value !== undefined)
      const options = { cwd, env: Object.fromEntries(set) as Record<string, string> }
      const starting = session.spawn(command, args, options)
      told.onSpawn(starting)
      return new ClaudeChild(starting)
    },
  }
}

const hookTimeoutS = (msMax: number) => Math.ceil(msMax / 1000) + HOOK_MARGIN_S

/**
 * The server of an agent's verbs. The program fills the token in from its environment, so that it
 * stands on no command line.
 */
function verbs({ env, personMsMax }: SessionStart): McpHttpServerConfig {
  return {
    type: "http",
    url: `${env["COPPICE_URL"]}/agent/mcp`,
    headers: { Authorization: `Bearer \${COPPICE_TOKEN}` },
    timeout: personMsMax + VERB_MS_MAX,
    alwaysLoad: true, // an agent that has to look for `ask` does not ask
  }
}
