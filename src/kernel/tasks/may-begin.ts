/**
 * Finds what blocks a task's next turn: its budget, the budget of the day, or its account's limit.
 * Records that limit, and says what the task may still cost.
 */

import type { TaskId } from "../../base/ids.ts"
import type { AgentConfig } from "../../config/config.ts"
import type { SeenLimit } from "../runtime/runtime.ts"
import type { JobsContext, Rows } from "./context.ts"
import { findAccountLimit, limitAccount } from "./rows/accounts.ts"
import { findTask } from "./rows/find.ts"
import { findRunningJob } from "./rows/jobs/find.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import type { Postponement } from "./rows/turns/postpone.ts"
import { sumSpentOfJob, sumSpentSince } from "./rows/turns/usage.ts"
import { type Budget, dayOf, findReached, hasLimit } from "./rules/budget.ts"

export type Blocker =
  | { readonly kind: "stuck"; readonly text: string }
  /** `limitedUntilMs`: set iff the account is at its limit, or at the reserve for a person. */
  | ({ readonly kind: "postponed"; readonly limitedUntilMs?: number } & Postponement)

/**
 * The limits of a day and the reserve may be changed in the configuration, so we recheck this
 * often.
 */
const RECHECK_MS = 5 * 60_000

export type Blocking = Rows & Pick<JobsContext, "findAgent" | "limits" | "account">

/** Undefined: the turn may begin. */
export function findBlocker(context: Blocking, id: TaskId): Blocker | undefined {
  const { db, world } = context
  const task = findTask(db, id)
  const agent = task && context.findAgent(task)
  const job = findRunningJob(db, id)
  if (!task || !agent || !job) return undefined
  const { budget } = agent
  const reached = hasLimit(budget) ? findReached(budget, sumSpentOfJob(db, job.id)) : undefined
  if (reached !== undefined) {
    const text = `its budget of ${reached} (agents.${agent.name}.budget) is used up; \`coppice restart\` grants it again`
    return { kind: "stuck", text }
  }
  const nowMs = world.nowMs()
  const { startMs, endMs } = dayOf(nowMs)
  const { perDay } = context.limits()
  const today = hasLimit(perDay) ? findReached(perDay, sumSpentSince(db, startMs)) : undefined
  if (today !== undefined) {
    const atMs = Math.min(endMs, nowMs + RECHECK_MS)
    const text = `tomorrow (UTC): the daily limit of ${today} (limits.per_day) is used up`
    return { kind: "postponed", atMs, text, isFailure: false }
  }
  if (findOpenTurn(db, id)?.insisted) return undefined // the program itself says whether it is served
  return findLimit(context, agent)
}

/** The limit of an agent's account; undefined: none is reached. */
export function findLimit(
  context: Pick<Blocking, "db" | "world" | "limits" | "account">,
  agent: AgentConfig,
): Extract<Blocker, { kind: "postponed" }> | undefined {
  const nowMs = context.world.nowMs()
  const account = context.account(agent)
  const reserve = agent.reserve ?? context.limits().reserve
  const limit =
    account === null
      ? undefined
      : findAccountLimit(context.db, { account, shareMin: 1 - reserve }, nowMs)
  if (!limit) return undefined
  const { name, share, untilMs } = limit
  const text = `the ${name} of its account to be reset`
  const postponed = { kind: "postponed", isFailure: false, limitedUntilMs: untilMs } as const
  const recheckMs = Math.min(untilMs, nowMs + RECHECK_MS)
  // A fallback's limit may be reset earlier than this one.
  if (share >= 1)
    return { ...postponed, atMs: agent.fallback.length > 0 ? recheckMs : untilMs, text }
  const key = agent.reserve === undefined ? "limits.reserve" : `agents.${agent.name}.reserve`
  const kept = `${Math.round(reserve * 100)}% of it is kept for you (${key})`
  const until = new Date(untilMs).toISOString()
  return { ...postponed, atMs: recheckMs, text: `${text} at ${until}; ${kept}` }
}

/** `account` null: one without such limits. `reserve` undefined: as for all agents. */
type LimitedBy = { readonly account: string | null; readonly reserve?: number | undefined }

/**
 * Records an account's limit if it is reached, or if the reserve for a person begins.
 */
export function recordLimit(
  { db, world, limits }: Rows & Pick<JobsContext, "limits">,
  { account, reserve = limits().reserve }: LimitedBy,
  { share, resetAtMs, name }: SeenLimit,
): void {
  if (account === null || share < 1 - reserve) return
  limitAccount(db, { account, name, share, untilMs: resetAtMs }, world.nowMs())
}

/** Less than this buys nothing, and a program may read 0 as unlimited. */
const USD_MIN = 0.01

/** In US dollars; undefined: no limit. */
export function costLeft({ db }: Rows, task: TaskId, { costUsd }: Budget): number | undefined {
  const job = findRunningJob(db, task)
  if (costUsd === undefined || !job) return undefined
  return Math.max(USD_MIN, costUsd - sumSpentOfJob(db, job.id).costUsd)
}
