/** Rows as the documents that the outside sees. */
import { branchRef } from "../core/ids.ts"
import { needsAttention } from "../core/task.ts"
import { why } from "../core/why.ts"
import type { EventDocument, LogLineDocument, TaskDocument, WhyDocument } from "../core/wire.ts"
import { readCommit } from "../git/rev-parse.ts"
import type { StoredEvent } from "../store/events/row.ts"
import { listJobs } from "../store/jobs/list.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { findLandingAhead } from "../store/landings/find-ahead.ts"
import type { Landing } from "../store/landings/row.ts"
import type { LogLine } from "../store/log/row.ts"
import { latestSession } from "../store/sessions/latest.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import { sumUsage } from "../store/turns/sum-usage.ts"
import type { Fleet } from "./fleet.ts"

export const iso = (ms: number): string => new Date(ms).toISOString()

export function taskDocument({ db }: Fleet, task: Task): TaskDocument {
  const landing = findLandingOfTask(db, task.id)
  const { id, title, agent, state, reason, workItem } = task
  return {
    id: String(id),
    title,
    agent,
    state,
    reason,
    attention: needsAttention(state),
    workItem,
    repos: task.repos.map((repo) => repoDocument(repo, landing)),
    sessionId: latestSession(db, id)?.id ?? null,
    jobs: listJobs(db, id).map((job) => ({
      ...job,
      id: String(job.id),
      sessions: [...job.sessions],
    })),
    landing: landing ? landingDocument(landing) : null,
    usage: sumUsage(db, id),
    createdAt: iso(task.createdAtMs),
    updatedAt: iso(task.updatedAtMs),
  }
}

/** With the heads as git has them now, where a branch is being worked on. */
export async function currentTaskDocument(fleet: Fleet, task: Task): Promise<TaskDocument> {
  const document = taskDocument(fleet, task)
  const repos = document.repos.map(async (repo) => {
    const branch = repo.worktree === null ? null : repo.branch
    const head = branch === null ? undefined : await readCommit(repo.path, branchRef(branch))
    return { ...repo, head: head ?? repo.head }
  })
  return { ...document, repos: await Promise.all(repos) }
}

export function eventDocument({ seq, atMs, type, task, data }: StoredEvent): EventDocument {
  return { seq, at: iso(atMs), type, task: task === null ? null : String(task), data: { ...data } }
}

export function logLineDocument({ seq, atMs, task, turn, kind, text }: LogLine): LogLineDocument {
  return { seq, at: iso(atMs), task: String(task), turn, kind, text }
}

export function whyDocument({ db }: Fleet, task: Task): WhyDocument {
  const landing = findLandingOfTask(db, task.id)
  const { waitingFor, sinceMs, unblock, paths } = why({
    id: task.id,
    state: task.state,
    reason: task.reason,
    updatedAtMs: task.updatedAtMs,
    turn: findOpenTurn(db, task.id)?.n ?? null,
    landing: landing
      ? {
          state: landing.state,
          outcome: landing.outcome,
          reason: landing.reason,
          sinceMs: landing.sinceMs,
          target: landing.repos[0]?.target.replace("refs/heads/", "") ?? "",
          paths: pathsInTheWay(landing.details),
          behind: findLandingAhead(db, landing.id)?.task ?? null,
        }
      : null,
  })
  const since = sinceMs === null ? null : iso(sinceMs)
  return { task: String(task.id), waitingFor, since, unblock, paths: [...paths] }
}

function repoDocument(repo: TaskRepo, landing: Landing | undefined): TaskDocument["repos"][number] {
  const { name, path, target, branch, worktree, base, mergeTip } = repo
  const head = landing?.repos.find((one) => one.name === name)?.head ?? null
  return { name, path, target, branch, worktree, base, head: mergeTip ?? head }
}

function landingDocument(landing: Landing): TaskDocument["landing"] {
  const { id, state, outcome, attempts, handbacks, repos } = landing
  const { base = null, candidate = null } = repos[0] ?? {}
  return { id: String(id), state, outcome, attempts, handbacks, base, candidate }
}

function pathsInTheWay(details: unknown): readonly string[] {
  const paths = (details as { paths?: readonly string[] } | null)?.paths
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : []
}
