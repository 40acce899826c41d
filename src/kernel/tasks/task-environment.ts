/**
 * The environment variables of everything that runs for a task. Its agent, set-up, check and gate all
 * get the same facts.
 */

import { assert } from "../../base/assert.ts"
import type { AgentConfig } from "../../config/config.ts"
import { agentEnvironment, commandEnvironment } from "../process/environment.ts"
import type { Db } from "../store/open.ts"
import { workspaceEnvironment } from "../workspaces/environment.ts"
import { listPorts } from "../workspaces/rows/ports.ts"
import { type WorktreePlace, workspaceFacts } from "../workspaces/workspace-facts.ts"
import { findRunningJob, listJobs } from "./rows/jobs/find.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { listTurns } from "./rows/turns/find.ts"

type EnvironmentOf = {
  readonly task: Task
  readonly agent: AgentConfig
  readonly repoName: string
  readonly home: string
  /** Set if it is not the task's own worktree. */
  readonly place?: WorktreePlace | undefined
  /** Only the agent gets its model provider's variables. */
  readonly forAgent?: boolean
}

/** Passes on only those of the daemon's variables that agents may see. `agent.env` overrides them. */
export function taskEnvironment(
  db: Db,
  { task, agent, repoName, home, place, forAgent = false }: EnvironmentOf,
): Record<string, string> {
  const repo = task.repos.find(({ name }) => name === repoName)
  assert(repo, "an environment belongs to a repository of the task")
  const passed = forAgent ? agentEnvironment : commandEnvironment
  const ofPlace = workspaceVariables(db, { task, repo, home, place })
  return { ...passed(process.env, agent.env), ...ofPlace }
}

/** The variables of a task's workspace alone. @param at.home its permanent name. */
export function workspaceVariables(
  db: Db,
  { task, repo, home, place }: Pick<EnvironmentOf, "task" | "home" | "place"> & { repo: TaskRepo },
): Record<string, string> {
  const job = findRunningJob(db, task.id) ?? listJobs(db, task.id).at(-1)
  const ports = listPorts(db, task.id)
  const facts = workspaceFacts(task, repo, { home, job: job?.id ?? 0, place, ports })
  const turn = String(listTurns(db, task.id).at(-1)?.n ?? 0)
  return { ...workspaceEnvironment(facts), COPPICE_TURN: turn }
}
