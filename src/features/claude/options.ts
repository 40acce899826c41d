/** How Claude Code is started: its prompt, its permissions, and what it must not load. */

import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import type { HookCallback, Options, SpawnedProcess } from "@anthropic-ai/claude-agent-sdk"
import type { SessionId } from "../../base/ids.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import type { SessionStart, Turn } from "../../kernel/runtime/runtime.ts"
import { claudeServers } from "./mcp-servers.ts"
import { answerTools, askBefore, refuseWrites } from "./tools.ts"

export type ClaudeStart = {
  readonly systemPrompt: string
  /** Absolute path of the claude program. */
  readonly program: string
  readonly session: SessionStart
  readonly resume: boolean
  /** The conversation begins as a copy of this one. */
  readonly forkOf?: SessionId | undefined
}

/** The program waits this much longer for the Stop hook than the hook may take. */
const HOOK_MARGIN_S = 60

/** @see https://docs.anthropic.com/en/docs/claude-code/settings for the variables */
const ENV = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  /** Our own limit on hand-backs counts, not the program's limit on refused stops. */
  CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "0",
}

export type ClaudeHooks = {
  readonly onStop: HookCallback
  /** Runs after each tool call of the conversation and its subagents. */
  readonly afterTool: HookCallback
}

export function claudeOptions(
  { program, session, resume, forkOf, systemPrompt }: ClaudeStart,
  { onStop, afterTool }: ClaudeHooks,
  told: { onSpawn(starting: Promise<OwnedChild>): void; phase(): Turn["phase"] },
): Options {
  const { turn, model, limits, person, onlyReads } = session
  const { cwd, otherWorktrees, env } = session.place
  const { id: sessionId } = session.conversation
  const { servers, env: ofServers } = claudeServers(session)
  return {
    pathToClaudeCodeExecutable: program,
    cwd,
    additionalDirectories: [...otherWorktrees],
    env: { ...env, COPPICE_TURN: String(turn.n), ...ofServers, ...ENV },
    ...(resume ? { resume: sessionId } : { sessionId }),
    ...(forkOf !== undefined && { resume: forkOf, forkSession: true }),
    ...(model ? { model } : {}),
    maxTurns: limits.turnsMax,
    ...(limits.costUsdMax !== undefined && { maxBudgetUsd: limits.costUsdMax }),
    // Nothing in the repository may configure the agent: its hooks would run unasked.
    settingSources: [],
    strictMcpConfig: true,
    // No snapshot: a resumed conversation would keep the facts of its first worktree.
    systemPrompt: { type: "preset", preset: "claude_code", append: systemPrompt, snapshot: false },
    includePartialMessages: true,
    permissionMode: "default", // the program refuses bypassPermissions to root
    canUseTool: answerTools(person),
    hooks: {
      PostToolUse: [{ hooks: [afterTool] }],
      PostToolUseFailure: [{ hooks: [afterTool] }],
      Stop: [{ hooks: [onStop], timeout: hookTimeoutS(limits.verdictMsMax) }],
      PreToolUse: [
        { hooks: [refuseWrites(() => ({ phase: told.phase(), onlyReads }))] },
        ...(person.permit
          ? [{ hooks: [askBefore(person.permit)], timeout: hookTimeoutS(person.waitMsMax) }]
          : []),
      ],
    },
    mcpServers: { ...servers },
    mcpServersDelivery: "argv", // older programs know no other way; unset, the SDK warns
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

/** Hands the SDK a process object at once, while the process is still being started. */
class ClaudeChild extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  killed = false
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #starting: Promise<OwnedChild>

  constructor(starting: Promise<OwnedChild>) {
    super()
    this.#starting = starting
    this.on("error", () => {}) // callers that await `starting` get the error too
    starting.then(
      (owned) => this.#connect(owned),
      (error: unknown) => this.emit("error", error),
    )
  }

  kill(): boolean {
    this.killed = true
    this.#starting.then(
      (owned) => owned.end(),
      () => {}, // the program never started: there is nothing to kill
    )
    return true
  }

  #connect({ child, exit }: OwnedChild): void {
    if (child.stdin) this.stdin.pipe(child.stdin)
    child.stdout?.pipe(this.stdout)
    exit.then(
      ({ code, signal }) => {
        this.exitCode = code
        this.signalCode = signal
        this.emit("exit", code, signal)
      },
      () => {}, // `exited` rejects with the same error
    )
  }
}
