/** Adds a task: from here on Coppice knows it. */
import { assert } from "../../../base/assert.ts"
import type { TaskId } from "../../../base/ids.ts"
import type { PlanMode } from "../../../config/config.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import { findTask } from "./find.ts"
import type { Task, TaskRepo } from "./row.ts"

export type TaskToAdd = Pick<Task, "title" | "prompt" | "agent" | "workItem" | "land"> & {
  /** Default: as coppice.yml says. */
  readonly program?: Task["program"]
  /** Default: its agent's. */
  readonly model?: string | null
  /** Default: `none`. */
  readonly planMode?: PlanMode
  /** The agent that plans. Default: its own. */
  readonly planner?: string | null
  readonly priority?: number
  readonly schedule?: string | undefined
  /** The task whose agent proposed it. Default: null. */
  readonly parent?: TaskId | null
  readonly reports?: boolean
  /** The task whose commits it reviews. Default: null. */
  readonly reviewOf?: TaskId | null
  /** The key of the request for it. */
  readonly request?: string | undefined
  /** Default: `git_worktree`; null without an agent. */
  readonly strategy?: Task["strategy"]
  /** Tasks that it lands after. */
  readonly after?: readonly TaskId[]
  /** The task whose work it starts from; it lands after that, too. */
  readonly on?: TaskId | undefined
  /** The task's conversation begins as a copy of that of `on`. */
  readonly forks?: boolean
  readonly repos: readonly RepoToAdd[]
}

/**
 * The place of work that existed before the task: a branch, a worktree, or both. `base`: the commit
 * before it, if known.
 */
type RepoToAdd = Pick<TaskRepo, "name" | "path" | "target"> &
  Partial<Pick<TaskRepo, "branch" | "worktree" | "start" | "base" | "address">>

const ADD = `
  insert into tasks (title, prompt, agent, program, model, state, work_item, land, strategy, plan_mode, planner, priority,
    schedule, parent, reports, review_of, request, created_at, updated_at)
  values (:title, :prompt, :agent, :program, :model, 'registered', :workItem, :land, :strategy, :planMode, :planner, :priority,
    :schedule, :parent, :reports, :reviewOf, :request, :nowMs, :nowMs)
  returning id`

const FIND_REQUESTED = "select id from tasks where request = :request"

const ADD_REPO = `
  insert into task_repos (task, name, path, target, branch, worktree, start, base, address)
  values (:task, :name, :path, :target, :branch, :worktree, :start, :base, :address)`

const ADD_DEPENDENCY = `
  insert into dependencies (task, depends_on, kind, forks)
  values (:task, :dependsOn, :kind, :forks)
  on conflict do nothing`

/** The task that a request with this key has created. */
export function findRequestedTask(db: Db, request: string | undefined): Task | undefined {
  const row = request && sql(db, FIND_REQUESTED).find({ request })
  return row ? findTask(db, row["id"] as TaskId) : undefined
}

/** Adds a task in state `registered`; event `task.created`. */
export function addTask(db: Db, task: TaskToAdd, nowMs: number): Task {
  const { repos, priority = 0, planMode = "none", after = [], on, ...others } = task
  const { forks = false, strategy: asked, ...rest } = others
  const program = task.program ? JSON.stringify(task.program) : null
  const columns = { ...rest, program, model: task.model ?? null, request: task.request ?? null }
  const strategy = asked === undefined ? (task.agent === null ? null : "git_worktree") : asked
  const schedule = task.schedule ?? null
  const { parent = null, reports = false, reviewOf = null, planner = null } = task
  const flags = { reports: reports ? 1 : 0, reviewOf, planner }
  const settings = { strategy, planMode, priority, schedule, parent, ...flags }
  return transaction(db, () => {
    const id = sql(db, ADD).read({ ...columns, ...settings, nowMs })["id"] as TaskId
    const unknown = { branch: null, worktree: null, start: null, base: null, address: null }
    for (const repo of repos) sql(db, ADD_REPO).run({ ...unknown, ...repo, task: id })
    const dependencies = [on ?? [], after].flat()
    for (const dependsOn of dependencies) {
      const kind = dependsOn === on ? "on" : "after"
      const isFork = Number(kind === "on" && forks)
      sql(db, ADD_DEPENDENCY).run({ task: id, dependsOn, kind, forks: isFork })
    }
    const { title, agent, workItem } = task
    const data = {
      title,
      agent,
      workItem,
      ...(schedule !== null && { schedule }),
      ...(parent !== null && { parent }),
      ...(reviewOf !== null && { reviewOf }),
    }
    appendEvent(db, { type: "task.created", task: id, data }, nowMs)
    const added = findTask(db, id)
    assert(added, "a task that was added is there")
    return added
  })
}
