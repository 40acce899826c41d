/** Builds a runtime's input for a session, from what is on record now. */

import { assert } from "../../base/assert.ts"
import type { AgentConfig } from "../../config/config.ts"
import type {
  Conversation,
  Person,
  Place,
  Report,
  SessionLimits,
  SessionStart,
} from "../runtime/runtime.ts"
import { appendEvent } from "../store/events.ts"
import { folderOf } from "../workspaces/workspace-facts.ts"
import { askHidden } from "./ask-hidden.ts"
import type { JobsContext, Rows } from "./context.ts"
import { endTurn, type Running } from "./end-turn.ts"
import { type Blocking, costLeft, recordLimit } from "./may-begin.ts"
import { deliverMessages, messagesNow } from "./messages-now.ts"
import { promptFor } from "./renew-session.ts"
import type { Task } from "./rows/row.ts"
import { findSession } from "./rows/sessions/find.ts"
import { findForkable } from "./rows/sessions/find-forkable.ts"
import { recordProgramId } from "./rows/sessions/record.ts"
import type { Turn } from "./rows/turns/find.ts"
import { noteUsage } from "./rows/turns/usage.ts"
import { systemPrompt } from "./system-prompt.ts"

/** @param turn the first one of the session. */
export function sessionStart(context: JobsContext, running: Running, turn: Turn): SessionStart {
  const { task, agent, signal } = running
  const { n, prompt, session, begunAtMs } = turn
  const place = placeOf(context, task, agent)
  context.secrets.learn(task.id, place.env, agent.mcpServers)
  const owned = { purpose: "agent", task: task.id, session } as const
  const phase = task.state === "planning" ? "planning" : "working"
  const images = context.imagesOf(task.id, n)
  const said = deliverMessages(context, turn, phase)
  const withMessages = (text: string) => [text, said].filter(Boolean).join("\n\n")
  const conversation = conversationOf(context, task, turn)
  return {
    conversation: {
      ...conversation,
      freshPrompt: async () => withMessages(await conversation.freshPrompt()),
    },
    turn: { n, prompt: withMessages(prompt), repeated: begunAtMs !== null, phase, images },
    messages: messagesNow(context, running, session),
    onlyReads: task.reviewOf !== null,
    place,
    model: agent.name === task.agent ? (task.model ?? agent.model) : agent.model,
    servers: agent.mcpServers,
    limits: limitsOf(context, task, agent),
    person: personOf(context, running, place),
    report: reportOf(context, running),
    signal,
    spawn: (command, args, options) => context.owner.spawn(command, args, { ...options, ...owned }),
    endTurn: (end) => {
      const message = end.message && context.secrets.hide(task.id, end.message)
      return endTurn(context, running, { ...end, message })
    },
  }
}

function conversationOf(
  context: Rows & Pick<JobsContext, "home" | "agentConfig" | "changedFiles" | "forks">,
  task: Task,
  turn: Turn,
): Conversation {
  const { session: id } = turn
  const session = findSession(context.db, id)
  const { usedAtMs = null, programId = null } = session ?? {}
  return {
    id,
    resume: usedAtMs !== null,
    programId,
    forkOf: session && findForkable(context.db, session, session.heldBy),
    learnId: (own) => recordProgramId(context.db, id, own),
    systemPrompt: () => systemPrompt(context, task),
    freshPrompt: () => {
      const event = { type: "session.unknown", task: task.id, data: { session: id } } as const
      appendEvent(context.db, event, context.world.nowMs())
      return promptFor(context, task, turn)
    },
  }
}

function placeOf(
  context: Pick<JobsContext, "agentEnvironment" | "connectAgent">,
  task: Task,
  { containment }: AgentConfig,
): Place {
  const [repo, ...others] = task.repos
  const cwd = repo && folderOf(task, repo)
  assert(cwd, "a workspace was set up before its agent starts")
  const around = context.agentEnvironment(task, repo.name)
  const { variables, scratch, transcripts } = context.connectAgent(task.id, around["PATH"])
  return {
    cwd,
    otherWorktrees: others.flatMap((other) => folderOf(task, other) ?? []),
    scratch,
    env: { ...around, ...variables },
    // A contained program has its HOME in the state folder, and could put links there.
    transcripts: containment.by === "none" ? transcripts : undefined,
  }
}

function limitsOf(context: Rows, task: Task, agent: AgentConfig): SessionLimits {
  const { session, landing, budget } = agent
  return {
    turnsMax: session.turnsMax,
    costUsdMax: costLeft(context, task.id, budget),
    verdictMsMax: landing.hookWaitMs,
    handoffAt: session.handoffAt,
  }
}

/** Messages of an agent are stored without its credentials. */
type Said = Rows & Pick<JobsContext, "secrets">

function personOf(
  context: Said & Pick<JobsContext, "guard">,
  { task, agent, signal }: Running,
  { cwd }: Place,
): Person {
  const { askWaitMs: waitMsMax } = agent.session
  const guard = context.guard(task.id, agent, cwd)
  const until = (withdrawn: AbortSignal) => AbortSignal.any([signal, withdrawn])
  return {
    permit: guard && ((use, withdrawn) => guard(use, until(withdrawn))),
    ask: async ({ text, choices }, withdrawn) => {
      const asked = { task: task.id, kind: "question", text, choices, subject: null } as const
      const end = await askHidden(context, asked, { waitMsMax, signal: until(withdrawn) })
      return end.kind === "answered" ? end.answer : undefined
    },
    waitMsMax,
  }
}

function reportOf(
  context: Blocking & Said & Pick<JobsContext, "written">,
  { task, agent, log }: Running,
): Report {
  const { written, secrets } = context
  const account = context.account(agent)
  const writing = secrets.stream(task.id)
  return {
    event: (event) => {
      if (event.kind === "text") writing.clear()
      log.push({ ...event, text: secrets.hide(task.id, event.text) })
    },
    writes: (more) => {
      if (more === null) writing.clear()
      if (more === null) written.clear(task.id)
      else written.add(task.id, writing.push(more))
    },
    usage: (n, usage) => void noteUsage(context.db, { task: task.id, n }, usage),
    limit: (limit) => recordLimit(context, { account, reserve: agent.reserve }, limit),
  }
}
