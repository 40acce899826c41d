/** Turns rows into the documents of `why` and of the queues. */

import { assert } from "../../base/assert.ts"
import { branchOf } from "../../base/ids.ts"
import type { HandBackDetails } from "../../kernel/landing/prompts/hand-back.ts"
import { listPendingApprovals } from "../../kernel/landing/rows/approvals.ts"
import { findLanding, findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import {
  findLandingAhead,
  listQueues,
  type QueuedLanding,
} from "../../kernel/landing/rows/queue.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import { listSeenTargets } from "../../kernel/landing/rows/seen-targets.ts"
import { isPublishedState } from "../../kernel/landing/rules.ts"
import type { WaitDetails } from "../../kernel/landing/waiting-outcomes.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listProcesses } from "../../kernel/store/processes.ts"
import { findHeldBy } from "../../kernel/tasks/rows/dependencies.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findRunningJob } from "../../kernel/tasks/rows/jobs/find.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { isAwaited } from "../../kernel/tasks/rules/question.ts"
import { possibleActions } from "../../kernel/tasks/rules/transitions.ts"
import { findBusy, findHeld } from "../../kernel/waits/busy-place.ts"
import { why } from "../../kernel/waits/rules/why.ts"
import { slotText } from "../../kernel/waits/rules/why-asked.ts"
import type { LandingFacts } from "../../kernel/waits/rules/why-landing.ts"
import type { QueueDocument } from "../wire/landings.ts"
import type { WhyDocument } from "../wire/tasks.ts"
import {
  type DocumentRows,
  type FactsPart,
  findFeatureWait,
  type LandingPart,
} from "./feature-parts.ts"
import { iso } from "./row-documents.ts"
import { deletionDocument } from "./task-lines.ts"

/** The facts of features in a home without these. */
const NO_FACTS = {
  awaited: { tasks: [], proposals: [], asks: null },
  lower: null,
  attached: false,
  pulls: [],
} satisfies FactsPart

const NO_LANDING_FACTS = { lower: null, isForReviewers: false, reviewers: [] }

/** The answer about a task that is due, while the kernel finds nothing in its way. */
const [NO_CAUSE] = slotText([])

export function whyDocument(fleet: DocumentRows, task: Task): WhyDocument {
  const { db, findRest } = fleet
  const landing = findLandingOfTask(db, task.id)
  const turn = findOpenTurn(db, task.id)
  const questions = listOpenQuestions(db, task.id)
  const awaited = questions.find(isAwaited)
  const given = fleet.features.map((one) => one.why?.facts?.(db, task, landing))
  const { landing: _, ...facts }: FactsPart = Object.assign({}, ...given)
  const ofLanding: LandingPart = Object.assign({}, ...given.map((one) => one?.landing))
  const known = why({
    ...NO_FACTS,
    ...facts,
    id: task.id,
    state: task.state,
    agent: task.agent,
    reason: task.reason,
    updatedAtMs: task.updatedAtMs,
    turn: turn ? { ...turn, begun: turn.begunAtMs !== null } : null,
    heartbeatAtMs: findRunningJob(db, task.id)?.heartbeatAtMs ?? null,
    runs: listProcesses(db)
      .filter((process) => process.task === task.id)
      .map(({ purpose }) => purpose),
    rest: findRest(task.id, landing?.id),
    step: fleet.findStep(task.id),
    question: awaited ? { ...awaited, isOnly: questions.length === 1 } : null,
    busy: findBusy(db, task),
    bounds: fleet.findBounds(task.id),
    held: findHeld(fleet, task.id),
    deletion: deletionDocument(fleet, task),
    landing: landing ? { ...landingFacts(db, landing), ...ofLanding } : null,
    can: possibleActions(task),
    kept: !landing && isKept(task),
  })
  const isKnown = known.waitingFor !== null && known.waitingFor !== NO_CAUSE
  const { waitingFor, sinceMs, unblock } = (isKnown ? null : findFeatureWait(fleet, task)) ?? known
  const { paths } = known
  const since = sinceMs === null ? null : iso(sinceMs)
  const { agent, standIn } = task
  return { task: String(task.id), agent, standIn, waitingFor, since, unblock, paths: [...paths] }
}

/** The task has work that has not landed. */
function isKept(task: Task): boolean {
  if (task.state !== "complete" || task.reason?.code === "no_changes") return false
  return possibleActions(task).includes("land") && task.repos.some((repo) => repo.worktree !== null)
}

function landingFacts(db: Db, landing: Landing): LandingFacts {
  const { id, task, state, outcome, reason, sinceMs, attempts, wakeAtMs, repos } = landing
  const queue = listQueues(db).filter(
    ({ path, target }) => path === repos[0]?.path && target === repos[0].target,
  )
  const moved = isPublishedState(state) ? [] : repos.filter(({ published }) => published)
  const place = queue.findIndex((queued) => queued.id === id)
  return {
    ...NO_LANDING_FACTS,
    state,
    outcome,
    reason,
    sinceMs,
    attempts,
    wakeAtMs,
    target: repos.map(({ target }) => branchOf(target))[0] ?? "",
    paths: pathsInTheWay(landing.details),
    successor: (landing.details as Partial<WaitDetails> | null)?.successor ?? null,
    isAgents: (landing.details as Partial<WaitDetails> | null)?.worktrees !== undefined,
    published: moved.map(({ name }) => name),
    behind: findLandingAhead(db, id)?.task ?? null,
    place: place < 0 ? null : place + 1,
    heldBy: findHeldBy(db, task) ?? null,
    pendingApprovals: listPendingApprovals(db, id),
  }
}

/** Paths that block a waiting landing, or are in conflict in a failed one. */
function pathsInTheWay(details: unknown): readonly string[] {
  const { paths, conflict } = (details ?? {}) as { paths?: unknown } & Partial<HandBackDetails>
  if (conflict) return conflict.paths.map(({ path }) => path)
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : []
}

export function queueDocument(fleet: DocumentRows): QueueDocument {
  const seen = listSeenTargets(fleet.db)
  const ofTarget = Map.groupBy(listQueues(fleet.db), ({ path, target }) => `${path}\0${target}`)
  const queues = [...ofTarget.values()].map((landings) => {
    const { path, target } = landings[0]!
    const tip = seen.find((one) => one.path === path && one.target === target)?.tip ?? null
    const entries = landings.map((one) => entry(fleet, one))
    return { path, target: branchOf(target), tip, landings: entries }
  })
  return { queues }
}

function entry(fleet: DocumentRows, { id, task: taskId, movable, path, target }: QueuedLanding) {
  const landing = findLanding(fleet.db, id)
  const task = findTask(fleet.db, taskId)
  assert(landing && task, "a landing that was listed is there, and so is its task")
  const { state, outcome, sinceMs, repos } = landing
  const { title, priority } = task
  const { waitingFor, unblock } = whyDocument(fleet, task)
  const since = iso(sinceMs)
  const ids = { id: String(id), task: String(taskId) }
  const repo = repos.find((one) => one.path === path && one.target === target)
  const commits = { candidate: repo?.candidate ?? null, base: repo?.base ?? null }
  const facts = { ...ids, title, state, outcome, priority, movable }
  return { ...facts, ...commits, since, waitingFor, unblock }
}
