/** How Claude Code is started: what it is told, what it may do, what it does not load. */
import type { CanUseTool, Options } from "@anthropic-ai/claude-agent-sdk"
import type { OwnedChild } from "../process/owned-child.ts"
import { ClaudeChild } from "./claude-child.ts"
import type { SessionStart } from "./runtime.ts"

export type ClaudeStart = {
  readonly systemPrompt: string
  /** Absolute path of the claude program. */
  readonly program: string
  readonly session: SessionStart
  readonly resume: boolean
}

/** By how much the program waits longer for the Stop hook than the hook may take. */
const HOOK_MARGIN_S = 60

/** @see https://docs.anthropic.com/en/docs/claude-code/settings for the variables */
const ENV = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  /** Our bound on hand-backs is the one that counts, not the program's on stops refused in a row. */
  CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "0",
}

export function claudeOptions(
  { program, session, resume, systemPrompt }: ClaudeStart,
  onStop: NonNullable<NonNullable<Options["hooks"]>["Stop"]>[number]["hooks"][number],
  onSpawn: (starting: Promise<OwnedChild>) => void,
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
    // Nothing that lies in the repository configures the agent: its hooks would run unasked.
    settingSources: [],
    strictMcpConfig: true,
    // Without a snapshot, or a resumed conversation would be told of its first worktree for ever.
    systemPrompt: { type: "preset", preset: "claude_code", append: systemPrompt, snapshot: false },
    permissionMode: "default", // bypassPermissions is refused to root
    canUseTool: allow,
    hooks: { Stop: [{ hooks: [onStop], timeout: Math.ceil(verdictMsMax / 1000) + HOOK_MARGIN_S }] },
    spawnClaudeCodeProcess: ({ command, args, env: childEnv }) => {
      const set = Object.entries(childEnv).filter(([, value]) => value !== undefined)
      const options = { cwd, env: Object.fromEntries(set) as Record<string, string> }
      const starting = session.spawn(command, args, options)
      onSpawn(starting)
      return new ClaudeChild(starting)
    },
  }
}

const NOBODY_ANSWERS =
  "Nobody is there to answer now. Write your question, with what you know and the choices you " +
  "see, as your last message, and stop: a person will read it."

const allow: CanUseTool = async (tool, input) =>
  tool === "AskUserQuestion"
    ? { behavior: "deny", message: NOBODY_ANSWERS }
    : { behavior: "allow", updatedInput: input }
