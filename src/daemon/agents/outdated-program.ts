/**
 * A runtime that says so if its program could not start because it is too old.
 *
 * The program is asked for its version only after a session that ended before the agent did anything,
 * so a start costs nothing.
 */
import { basename } from "node:path"
import { askProgram } from "../../client/ask-program.ts"
import { findAgentProgram } from "../../client/find-agent-program.ts"
import type { AgentConfig } from "../../core/config.ts"
import { findKnownAgent, findOutdated, type KnownAgent } from "../../core/known-agents.ts"
import type { Runtime, SessionEnd, SessionStart } from "../../runtimes/runtime.ts"

type Of = Pick<AgentConfig, "runtime" | "command" | "containment">
type Env = Readonly<Record<string, string | undefined>>

/** @param env the daemon's own, which chooses the program. */
export function outdatedProgram(runtime: Runtime, agent: Of, env: Env): Runtime {
  const known = knownOf(agent)
  return known
    ? { ...runtime, run: (session) => runAndAsk({ runtime, known, env }, session) }
    : runtime
}

function knownOf({ runtime, command, containment }: Of): KnownAgent | undefined {
  if (runtime === "codex") return findKnownAgent("codex")
  if (runtime.startsWith("claude")) return findKnownAgent("claude")
  const isOnHost = runtime === "acp" && containment.by !== "container"
  return isOnHost ? findKnownAgent(basename(command?.[0] ?? "")) : undefined
}

type Asking = { readonly runtime: Runtime; readonly known: KnownAgent; readonly env: Env }

async function runAndAsk(asking: Asking, session: SessionStart): Promise<SessionEnd> {
  const { runtime, known, env } = asking
  let hasWorked = false
  const end = await runtime.run({
    ...session,
    report: {
      event: (event) => {
        hasWorked = true
        session.report.event(event)
      },
      usage: (n, usage) => session.report.usage(n, usage),
      limit: (limit) => session.report.limit(limit),
    },
    endTurn: async (turn) => {
      hasWorked = true
      return await session.endTurn(turn)
    },
  })
  if (hasWorked || end.kind !== "stuck" || !["died", "failed"].includes(end.code)) return end
  const program = findAgentProgram(known, env)
  if (program === undefined) return end
  const answer = await askProgram([program, "--version"], session.place.env)
  const outdated = "said" in answer ? findOutdated(known, answer.said) : undefined
  return outdated ? { ...end, text: `${outdated.why}. ${outdated.hint}` } : end
}
