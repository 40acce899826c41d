/** Puts a daemon together: the one place that names concrete runtimes and strategies. */
import { randomBytes } from "node:crypto"
import { basename, join, resolve } from "node:path"
import type { Logger } from "pino"
import { assert } from "../core/assert.ts"
import { defaultConfig } from "../core/config/parse.ts"
import type { AgentConfig, Config, RepoConfig } from "../core/config.ts"
import type { World } from "../core/world.ts"
import { jobsLoop } from "../jobs/loop.ts"
import { landingLoop } from "../landing/loop.ts"
import { ProcessOwner } from "../process/owner.ts"
import { claudeRuntime } from "../runtimes/claude.ts"
import { commandRuntime } from "../runtimes/command.ts"
import type { Runtime } from "../runtimes/runtime.ts"
import { appendEvent } from "../store/events/append.ts"
import type { Db } from "../store/open.ts"
import { addProcess } from "../store/processes/add.ts"
import { removeProcess } from "../store/processes/remove.ts"
import { transaction } from "../store/sql.ts"
import type { Task } from "../store/tasks/row.ts"
import { GitWorktreeStrategy } from "../workspaces/git-worktree.ts"
import { TaskLock } from "../workspaces/task-lock.ts"
import type { Fleet } from "./fleet.ts"
import { mintSessionId } from "./session-id.ts"
import { taskEnvironment } from "./task-environment.ts"

export type Parts = {
  readonly home: string
  readonly stateDir: string
  readonly config: Config
  readonly db: Db
  readonly world: World
  readonly log: Logger
}

export type Composed = {
  readonly fleet: Fleet
  start(): void
  /** Interrupts everything: agents are ended, landings stop at their next safe point. */
  stop(): Promise<void>
}

export function compose(parts: Parts): Composed {
  const { db, world, stateDir } = parts
  const fleet = createFleet(parts)
  const owner = createOwner(parts)
  const workspaces = new GitWorktreeStrategy({ home: basename(stateDir) })
  const { agentConfig, repoConfig, runtime } = fleet
  const environment = (task: Task, repoName: string) =>
    taskEnvironment(db, { task, agent: agentConfig(task.agent), repoName })
  const shared = { world, db, owner, workspaces, agentConfig, repoConfig, environment }
  const context = { ...shared, taskLock: new TaskLock() }

  const onError = (what: string) => (id: number, error: unknown) =>
    parts.log.error({ err: error, [what]: id }, `${what} rests after an error`)
  const landings = landingLoop(context, onError("landing"))
  const concurrentMax = parts.config.limits.concurrent
  const jobs = jobsLoop({ ...context, runtime, concurrentMax, mintSessionId }, onError("task"))
  return {
    fleet,
    start: () => {
      landings.start()
      jobs.start()
    },
    stop: async () => {
      await Promise.all([jobs.stop(), landings.stop()])
      await owner[Symbol.asyncDispose]()
      await workspaces.settled()
    },
  }
}

function createFleet({ home, config, db, world }: Parts): Fleet {
  const [firstAgent] = config.agents
  assert(firstAgent, "a configuration has an agent")
  const agentConfig = (name: string): AgentConfig =>
    config.agents.find((agent) => agent.name === name) ?? firstAgent
  const repoConfig = (path: string): RepoConfig =>
    config.repos.find((repo) => resolve(home, repo.path) === path) ?? unconfigured(path)
  return { home, config, db, world, agentConfig, repoConfig, runtime: runtimeOf }
}

function runtimeOf({ runtime, command }: AgentConfig): Runtime {
  if (runtime === "claude") return claudeRuntime({ env: process.env })
  assert(command !== undefined, "an agent whose runtime is `command` has a command")
  return commandRuntime(command, process.env["PATH"])
}

function createOwner({ db, world }: Parts): ProcessOwner {
  const mark = randomBytes(8).toString("hex")
  return new ProcessOwner({
    mark,
    onStart: (pid, identity, purpose, task) =>
      addProcess(db, { pid, identity, purpose, task, mark }),
    // An event, because loops look again on what is committed, and some wait for this very process.
    onExit: (pid) =>
      transaction(db, () => {
        removeProcess(db, pid)
        appendEvent(db, { type: "process.ended", task: null, data: { pid } }, world.nowMs())
      }),
  })
}

/** A repository that the configuration does not name (any more) is treated as a default one is. */
function unconfigured(path: string): RepoConfig {
  const [repo] = defaultConfig(basename(path)).repos
  assert(repo, "the default configuration has a repository")
  return { ...repo, path }
}

export const databasePath = (stateDir: string): string => join(stateDir, "coppice.db")
