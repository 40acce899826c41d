/**
 * A runtime that says so if its program could not start because it is too old.
 *
 * The program is asked for its version only after a session that ended before the agent did anything,
 * so a start costs nothing.
 */
import { basename } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import type { AgentConfig } from "../../config/config.ts"
import { findKnownAgent, findOutdated, type KnownAgent } from "../../config/known-agents.ts"
import { realPath } from "../../kernel/process/fence.ts"
import { findProgram } from "../../kernel/process/find-program.ts"
import type { Runtime, SessionEnd, SessionStart } from "../../kernel/runtime/runtime.ts"

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
  if (program === undefined || isAgents(program, session)) return end
  const answer = await askProgram([program, "--version"], session.place.env)
  const outdated = "said" in answer ? findOutdated(known, answer.said) : undefined
  return outdated ? { ...end, text: `${end.text}\n${outdated.why}. ${outdated.hint}` } : end
}

/** A program in the worktree may be of an agent's making. We run it nowhere but behind its fence. */
function isAgents(program: string, { place }: SessionStart): boolean {
  const real = realPath(program) ?? program
  return [place.cwd, ...place.otherWorktrees].some((folder) =>
    [program, real].some((path) => path.startsWith(`${folder}/`)),
  )
}
