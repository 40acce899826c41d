/** Turns tasks into the documents of the API. */

import { AppError } from "../../base/errors.ts"
import { branchRef, type Oid, type TaskId } from "../../base/ids.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import type { HandBackDetails } from "../../kernel/landing/prompts/hand-back.ts"
import { findLandingOfTask, listLatestLandings } from "../../kernel/landing/rows/find.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import type { Unreadable } from "../../kernel/store/read-each.ts"
import { planId } from "../../kernel/tasks/plan-id.ts"
import { listAllDependencies, listDependencies } from "../../kernel/tasks/rows/dependencies.ts"
import { listTasks } from "../../kernel/tasks/rows/find.ts"
import { type JobWithSessions, listAllJobs, listJobs } from "../../kernel/tasks/rows/jobs/find.ts"
import { listAllOpenQuestions, listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task, TaskRepo } from "../../kernel/tasks/rows/row.ts"
import { sumAllUsage, sumUsage } from "../../kernel/tasks/rows/turns/usage.ts"
import { isAwaited, type Question } from "../../kernel/tasks/rules/question.ts"
import { offeredActions } from "../../kernel/tasks/rules/transitions.ts"
import { needsAttention } from "../../kernel/tasks/rules.ts"
import { locateWorktree } from "../../kernel/workspaces/follow-worktree.ts"
import {
  type ConflictDocument,
  TaskDocument,
  type TasksDocument,
  type Usage,
} from "../wire/tasks.ts"
import { type DocumentRows, NO_SECTIONS, type Section, type SectionPart } from "./feature-parts.ts"
import { iso } from "./row-documents.ts"
import { deletionDocument, GAVE_UP, reasonOf, unreadableDocument } from "./task-lines.ts"

/** Facts about a task in the store besides its row. */
type Facts = {
  readonly landing: Landing | undefined
  readonly jobs: readonly JobWithSessions[]
  readonly usage: Usage
  readonly after: readonly TaskId[]
  readonly questions: readonly Question[]
  readonly deletion: TaskDocument["deletion"]
  readonly sections: readonly SectionPart[]
}

export function taskDocument(fleet: DocumentRows, task: Task): TaskDocument {
  const { db } = fleet
  const { id } = task
  const facts = {
    jobs: listJobs(db, id),
    usage: sumUsage(db, id),
    deletion: deletionDocument(fleet, task),
    after: listDependencies(db, id),
    questions: listOpenQuestions(db, id),
    sections: sectionsIn(fleet).map((section) => section.one(db, task)),
  }
  const landing = findLandingOfTask(db, id)
  const reason = reasonOf(fleet, task, landing?.id)
  return document({ ...task, reason }, { ...facts, landing })
}

/**
 * All tasks, newest last. The number of statements does not depend on the number of tasks, so
 * that `ls` is quick.
 */
export function taskDocuments(fleet: DocumentRows): TasksDocument {
  const { db } = fleet
  const unreadable: Unreadable[] = []
  const note = (one: Unreadable) => void unreadable.push(one)
  const landings = listLatestLandings(db, note)
  const jobs = listAllJobs(db)
  const usage = sumAllUsage(db)
  const after = listAllDependencies(db)
  const questions = listAllOpenQuestions(db)
  const sections = sectionsIn(fleet).map((section) => section.all(db))
  const isUnreadable = (id: TaskId) => unreadable.some(({ task }) => task === id)
  const tasks = listTasks(db, note).filter(({ id }) => !isUnreadable(id))
  const documents = tasks.map((task) => {
    const { id } = task
    const facts = {
      landing: landings.get(id),
      jobs: jobs.get(id) ?? [],
      usage: usage(id),
      after: after.get(id) ?? [],
      questions: questions.get(id) ?? [],
      deletion: deletionDocument(fleet, task),
      sections: sections.map((section) => section(task)),
    }
    return document({ ...task, reason: reasonOf(fleet, task, facts.landing?.id) }, facts)
  })
  return { tasks: documents, ...unreadableDocument(unreadable) }
}

const sectionsIn = ({ features }: DocumentRows): readonly Section[] =>
  features.flatMap(({ section }) => section ?? [])

/** The question that the task waits for, in its agent's words. */
function askedReason(questions: Facts["questions"]): TaskDocument["reason"] {
  const asked = questions.find(isAwaited)
  return asked ? { code: "asked", text: asked.text } : null
}

type Shown = Omit<Task, "reason"> & { readonly reason: TaskDocument["reason"] }

/** The keys of a document, in the order of its schema. */
const ORDERED: object = Object.fromEntries(
  Object.keys(TaskDocument.shape).map((key) => [key, undefined]),
)

function document(task: Shown, facts: Facts): TaskDocument {
  const sections: SectionPart = Object.assign({}, ...facts.sections)
  return { ...ORDERED, ...NO_SECTIONS, ...ownDocument(task, facts), ...sections }
}

function ownDocument(task: Shown, facts: Facts): Omit<TaskDocument, keyof SectionPart> {
  const { landing, jobs, usage, after, questions, deletion } = facts
  const { id, title, agent, state, reason, workItem, priority } = task
  return {
    id: String(id),
    title,
    agent,
    standIn: task.standIn,
    state,
    reason: reason ?? (state === "cancelled" ? null : askedReason(questions)),
    attention: needsAttention({
      state,
      asks: questions.length > 0 || reason?.code === GAVE_UP,
      landing: landing ?? null,
    }),
    can: offeredActions(task),
    workItem,
    priority,
    after: after.map(String),
    parent: task.parent === null ? null : String(task.parent),
    repos: task.repos.map((repo) => repoDocument(repo, landing)),
    sessionId: jobs.flatMap(({ sessions }) => sessions).at(-1) ?? null,
    jobs: jobs.map(jobDocument),
    landing: landing ? landingDocument(landing) : null,
    plan: task.planMode === "none" ? null : planDocument(task.planMode, task),
    deletion,
    usage,
    createdAt: iso(task.createdAtMs),
    updatedAt: iso(task.updatedAtMs),
  }
}

function jobDocument(job: JobWithSessions): TaskDocument["jobs"][number] {
  const { id, state, sessions, summary, startedAtMs, endedAtMs, error } = job
  return {
    id: String(id),
    state,
    sessions: [...sessions],
    summary: summary === null ? null : oneLine(summary),
    startedAt: iso(startedAtMs),
    durationMs: endedAtMs === null ? null : endedAtMs - startedAtMs,
    error,
  }
}

/** As {@link taskDocument}, with the current heads from git of branches that have a worktree. */
export async function currentTaskDocument(fleet: DocumentRows, task: Task): Promise<TaskDocument> {
  const document = taskDocument(fleet, task)
  const repos = document.repos.map(async (repo) => {
    const branch = repo.worktree === null ? null : repo.branch
    const head = branch === null ? undefined : await findHead(repo.path, branch)
    return { ...repo, head: head ?? repo.head }
  })
  return { ...document, repos: await Promise.all(repos) }
}

/** Undefined also if the repository is gone. The document then has the recorded head. */
async function findHead(repo: string, branch: string): Promise<Oid | undefined> {
  try {
    return await readCommit(repo, branchRef(branch))
  } catch (error) {
    if (error instanceof AppError && error.blame === "world") return undefined
    throw error
  }
}

function repoDocument(repo: TaskRepo, landing: Landing | undefined): TaskDocument["repos"][number] {
  const { name, path, target, branch, worktree, base, mergeTip } = locateWorktree(repo)
  const head = landing?.repos.find((one) => one.name === name)?.head ?? null
  return { name, path, target, branch, worktree, base, head: mergeTip ?? head }
}

/** For a landing that was handed back, or failed, because of a conflict. */
function conflictDocument({ details }: Landing): ConflictDocument | null {
  const { repo, conflict } = (details ?? {}) as Partial<HandBackDetails>
  if (repo === undefined || !conflict) return null
  const { paths, theirs, ours, since: _, ...facts } = conflict
  const copied = { paths: [...paths], theirs: [...theirs], ours: [...ours] }
  return { repo, ...facts, ...copied }
}

function landingDocument(landing: Landing): TaskDocument["landing"] {
  const { id, state, outcome, reason, attempts, handbacks, decided } = landing
  const { base = null, candidate = null } = landing.repos[0] ?? {}
  const repos = landing.repos.map(({ name, base, candidate, published }) => {
    return { name, base, candidate, published }
  })
  const conflict = conflictDocument(landing)
  const first = { attempts, handbacks, base, candidate, conflict }
  return { id: String(id), state, outcome, reason, ...first, decided, repos }
}

const planDocument = (
  mode: "auto" | "approve",
  { plan: text, planner: by }: Pick<Task, "plan" | "planner">,
) => ({
  mode,
  by,
  text,
  id: text === null ? null : planId(text),
})
