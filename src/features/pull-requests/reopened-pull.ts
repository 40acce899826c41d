/**
 * Looks at the pull request of a task that stopped with it. A person may have opened it again, or have
 * merged it as it is: then the task goes on from there.
 */
import type { Configured, Forges, Rows, Step } from "../../kernel/landing/action.ts"
import { recordLanding } from "../../kernel/landing/rows/record.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { continueJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { isHalted } from "../../kernel/tasks/rules/duty.ts"
import { ForgeError } from "./forges/errors.ts"
import { listPullRequests } from "./rows.ts"
import type { PullState } from "./rules.ts"
import { findRemote } from "./ship/address.ts"

export async function lookAgain(step: Step<Rows & Configured & Forges>): Promise<void> {
  const { context, landing, task, signal } = step
  const { db, world } = context
  const hasStopped = task.state === "stuck" && task.reason?.code === "pull_request"
  if (!hasStopped || isHalted(task)) return
  const states = await readStates(step)
  const goesOn =
    landing.outcome === "PULL_REQUEST_CLOSED"
      ? !states.includes("closed")
      : states.every((state) => state === "merged")
  if (!goesOn || states.length === 0 || signal.aborted) return
  transaction(db, () => {
    const nowMs = world.nowMs()
    if (!recordTask(db, task, { event: "reviewsReopened" }, nowMs)) return
    continueJob(db, task.id, nowMs)
    const cause = { outcome: null, reason: null, details: null }
    recordLanding(db, landing, { event: "pullRequestReopened", ...cause, wakeAtMs: nowMs }, nowMs)
  })
}

/** @returns an empty list if one of them cannot be read now. */
async function readStates(step: Step<Rows & Configured & Forges>): Promise<readonly PullState[]> {
  const { context, landing, task } = step
  const states: PullState[] = []
  try {
    for (const row of listPullRequests(context.db, task.id)) {
      const repo = landing.repos.find(({ name }) => name === row.name)
      if (row.number === null || !repo) continue
      const remote = await findRemote(step, repo, row)
      if (!remote) return []
      states.push((await context.forgeOf(repo, remote.push).read(row.number)).state)
    }
    return states
  } catch (error) {
    if (error instanceof ForgeError) return [] // the next look asks again
    throw error
  }
}
