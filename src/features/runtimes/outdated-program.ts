/**
 * A runtime that says so if its program could not start because it is too old.
 *
 * The program is asked for its version only after a session that ended before the agent did anything,
 * so a start costs nothing. It starts as the agent's does, behind its fence: an agent may have made it.
 */
import { basename } from "node:path"
import type { AgentConfig } from "../../config/config.ts"
import { findKnownAgent, findOutdated, type KnownAgent } from "../../config/known-agents.ts"
import { findProgram } from "../../kernel/process/find-program.ts"
import { runBounded } from "../../kernel/process/run.ts"
import type { Runtime, SessionEnd, SessionStart } from "../../kernel/runtime/runtime.ts"

/** A program prints its version at once; a broken one may hang. */
const ANSWER_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 4_000

type Of = Pick<AgentConfig, "runtime" | "command" | "containment">

export function outdatedProgram(runtime: Runtime, agent: Of): Runtime {
  const known = knownOf(agent)
  return known ? { ...runtime, run: (session) => runAndAsk({ runtime, known }, session) } : runtime
}

function knownOf({ runtime, command, containment }: Of): KnownAgent | undefined {
  // The host's program says nothing about the one in an image.
  if (containment.by === "container") return undefined
  if (runtime === "acp") return findKnownAgent(basename(command?.[0] ?? ""))
  return findKnownAgent(runtime === "claude-cli" ? "claude" : runtime)
}

type Asking = { readonly runtime: Runtime; readonly known: KnownAgent }

async function runAndAsk({ runtime, known }: Asking, session: SessionStart): Promise<SessionEnd> {
  let hasWorked = false
  let program: string | undefined
  const end = await runtime.run({
    ...session,
    report: {
      event: (event) => {
        hasWorked = true
        session.report.event(event)
      },
      writes: (more) => session.report.writes(more),
      usage: (n, usage) => session.report.usage(n, usage),
      limit: (limit) => session.report.limit(limit),
    },
    endTurn: async (turn) => {
      hasWorked = true
      return await session.endTurn(turn)
    },
    spawn: async (command, args, options) => {
      program ??= findProgram(command, { path: options.env["PATH"], cwd: options.cwd })
      return await session.spawn(command, args, options)
    },
  })
  if (hasWorked || end.kind !== "stuck" || !["died", "failed"].includes(end.code)) return end
  if (program === undefined) return end
  const answer = await runBounded(session, {
    command: [program, "--version"],
    cwd: session.place.cwd,
    env: session.place.env,
    purpose: "agent",
    task: null,
    timeoutMs: ANSWER_MS_MAX,
    outputBytesMax: ANSWER_BYTES_MAX,
    signal: session.signal,
  })
  const hasSaid = answer.kind === "exited" && answer.code === 0
  const outdated = hasSaid ? findOutdated(known, answer.output) : undefined
  return outdated ? { ...end, text: `${end.text}\n${outdated.why}. ${outdated.hint}` } : end
}
