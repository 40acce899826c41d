/** Builds a runtime's input for a turn: where, with what, and its callbacks. */
import { assert } from "../core/assert.ts"
import { isGuarded } from "../core/permissions.ts"
import type { SessionStart } from "../runtimes/runtime.ts"
import { findSession } from "../store/sessions/find.ts"
import { findTask } from "../store/tasks/find.ts"
import type { Task } from "../store/tasks/row.ts"
import type { Turn } from "../store/turns/find.ts"
import { noteUsage } from "../store/turns/usage.ts"
import { folderOf } from "../workspaces/folder-of.ts"
import { askPerson } from "./ask-person.ts"
import type { JobsContext } from "./context.ts"
import { costLeft } from "./cost-left.ts"
import { describeFolderChanges } from "./describe-folder-changes.ts"
import { findBlocker } from "./may-begin.ts"
import { permit } from "./permit.ts"
import { recordLimit } from "./record-limit.ts"
import { promptFor } from "./renew-session.ts"
import { reportPlanChanges } from "./report-plan-changes.ts"
import type { SessionLog } from "./session-log.ts"
import { systemPrompt } from "./system-prompt.ts"
import { turnEnded } from "./turn-ended.ts"

export function sessionStart(
  context: JobsContext,
  { task, turn, log }: { task: Task; turn: Turn; log: SessionLog },
  signal: AbortSignal,
): SessionStart {
  const { db, owner } = context
  const [repo, ...others] = task.repos
  const cwd = repo && folderOf(task, repo)
  assert(cwd, "a workspace was set up before its agent starts")
  const agent = context.agentConfig(task.agent)
  const { model, session, landing, permissions, budget } = agent
  const around = context.agentEnvironment(task, repo.name)
  const env = { ...around, ...context.agentVariables(task.id, around["PATH"]) }
  const account = context.account(agent)
  const owned = { purpose: "agent", task: task.id, session: turn.session } as const
  const phase = task.state === "planning" ? "planning" : "working"
  const { askWaitMs: waitMsMax } = session
  return {
    sessionId: turn.session,
    resume: findSession(db, turn.session)?.usedAtMs != null,
    turn: { n: turn.n, prompt: turn.prompt, repeated: turn.begunAtMs !== null, phase },
    freshPrompt: () => promptFor(context, task, turn),
    cwd,
    otherWorktrees: others.flatMap((other) => folderOf(task, other) ?? []),
    env,
    systemPrompt: () => systemPrompt(context, task, repo),
    model,
    turnsMax: session.turnsMax,
    handoffAt: session.handoffAt,
    costUsdMax: costLeft(context, task.id, budget),
    spent: (n, usage) => void noteUsage(db, { task: task.id, n }, usage),
    limitSeen: (limit) => recordLimit(context, account, limit),
    verdictMsMax: landing.hookWaitMs,
    signal,
    spawn: (command, args, options) => owner.spawn(command, args, { ...options, ...owned }),
    emit: (event) => log.push(event),
    permit: isGuarded(permissions)
      ? (use, waiting) =>
          permit(
            context,
            { task: task.id, permissions, cwd, waitMsMax },
            { use, signal: AbortSignal.any([signal, waiting]) },
          )
      : undefined,
    ask: async ({ text, choices }, waiting) => {
      const asked = { task: task.id, kind: "question", text, choices, subject: null } as const
      const bounds = { waitMsMax, signal: AbortSignal.any([signal, waiting]) }
      const end = await askPerson(context, asked, bounds)
      return end.kind === "answered" ? end.answer : undefined
    },
    personMsMax: waitMsMax,
    turnEnded: async (end) => {
      log.endTurn()
      context.takeReport(task.id)
      if (findTask(db, task.id)?.state === "planning") await reportPlanChanges(context, task)
      const { hookWaitMs: verdictMsMax, requireDone } = landing
      const left = task.strategy === "static" ? await describeFolderChanges(task) : null
      const { mintSessionId } = context
      const mayGoOn = () => findBlocker(context, task.id) === undefined
      const rules = { verdictMsMax, requireDone, mayGoOn, mintSessionId }
      return await turnEnded(context, task.id, { end, left, signal, ...rules })
    },
  }
}
