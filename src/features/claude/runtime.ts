/**
 * Runs Claude Code as an agent: `claude` through the Claude Agent SDK where that is installed,
 * `claude-cli` always through the program alone. They differ only in the connection, so each can
 * resume the conversations of the other.
 */
import { assert } from "../../base/assert.ts"
import type { SessionId } from "../../base/ids.ts"
import type {
  Interactive,
  Runtime,
  SessionEnd,
  SessionStart,
} from "../../kernel/runtime/runtime.ts"
import { holderName } from "../runtimes/conversation-holder.ts"
import { RuntimeMissingError } from "../runtimes/errors.ts"
import { withTranscript } from "../runtimes/transcripts.ts"
import { ClaudeConversation } from "./conversation.ts"
import { chooseClaudeProgram } from "./program.ts"
import { loadClaudeSdk } from "./sdk.ts"
import { type ClaudeSdk, claudeStdio } from "./stdio.ts"
import { claudeAccount } from "./subscription-limits.ts"

export type ClaudeRuntimeOptions = {
  /** The daemon's own environment. It chooses the program, and is not passed on. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** See {@link BACKGROUND_MS_MAX}, the default. */
  readonly backgroundMsMax?: number
}

/**
 * How long a turn waits for the agent's background work, such as a long build. Without a limit, a
 * forgotten server would keep its task for ever.
 */
const BACKGROUND_MS_MAX = 10 * 60_000

type Claude = ClaudeRuntimeOptions & { connect(): Promise<ClaudeSdk> }

export const claudeRuntime = (options: ClaudeRuntimeOptions): Runtime =>
  runtimeOf("claude", { ...options, connect: () => loadClaudeSdk() })

export const claudeCliRuntime = (options: ClaudeRuntimeOptions): Runtime =>
  runtimeOf("claude-cli", { ...options, connect: async () => claudeStdio })

function runtimeOf(name: Runtime["name"], options: Claude): Runtime {
  return {
    name,
    account: claudeAccount,
    unavailable: () => findMissing(options),
    holder: (env) => holderName("claude", [configDir(env), env["ANTHROPIC_BASE_URL"] ?? ""]),
    interactive: ({ id }, otherWorktrees) => interactive(options, id, otherWorktrees),
    run: (session) => {
      const root = configDir(session.place.env)
      const files = { root, below: "projects", endOf: ({ id }: { id: SessionId }) => `${id}.jsonl` }
      return withTranscript(session, files, (one) => runSession(options, one))
    },
  }
}

const configDir = ({ CLAUDE_CONFIG_DIR, HOME }: Readonly<Record<string, string>>) =>
  CLAUDE_CONFIG_DIR ?? `${HOME}/.claude`

async function findMissing({ env }: Claude): ReturnType<Runtime["unavailable"]> {
  const program = chooseClaudeProgram({ env })
  return program.kind === "missing" ? program : undefined
}

function interactive(
  { env }: Claude,
  id: SessionId,
  otherWorktrees: readonly string[],
): Interactive {
  const found = chooseClaudeProgram({ env })
  if (found.kind === "missing") return { kind: "none", reason: found.message, hints: found.hints }
  const folders = otherWorktrees.flatMap((worktree) => ["--add-dir", worktree])
  return {
    kind: "program",
    program: found.path,
    args: ["--resume", id, ...folders],
    env: {},
  }
}

async function runSession(options: Claude, session: SessionStart): Promise<SessionEnd> {
  const sdk = await options.connect()
  const program = chooseClaudeProgram({ env: options.env })
  if (program.kind === "missing") throw new RuntimeMissingError(program.message, program.hints)
  if (session.signal.aborted) return { kind: "aborted" }

  const { backgroundMsMax = BACKGROUND_MS_MAX } = options
  const { conversation } = session
  const systemPrompt = await conversation.systemPrompt()
  const start = { sdk, program: program.path, session, systemPrompt, backgroundMsMax }
  if (conversation.resume || !conversation.forkOf) {
    const end = await new ClaudeConversation({ ...start, resume: conversation.resume }).run()
    if (end.kind !== "unknown_session") return end
  }
  if (conversation.forkOf) {
    const { id: forkOf } = conversation.forkOf
    const end = await new ClaudeConversation({ ...start, resume: false, forkOf }).run()
    if (end.kind !== "unknown_session") return end
  }

  const text = "The program does not know the earlier conversation; a new one begins."
  session.report.event({ kind: "notice", text })
  const turn = { ...session.turn, prompt: await conversation.freshPrompt() }
  const again = { ...start, session: { ...session, turn }, resume: false }
  const fresh = await new ClaudeConversation(again).run()
  assert(fresh.kind !== "unknown_session", "a new conversation is never unknown")
  return fresh
}
