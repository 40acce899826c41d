/** Puts a daemon together: the one place that names concrete strategies. */
import type { Logger } from "pino"
import type { AgentAccess } from "../api/access.ts"
import type { ConfiguredHome, Fleet } from "../api/fleet.ts"
import type { World } from "../base/world.ts"
import type { AgentConfig } from "../config/config.ts"
import type { LiveConfig } from "../config/live/live-config.ts"
import { watchAttachments } from "../features/attach/watch-attachments.ts"
import type { MaintenanceContext } from "../features/clean-up/item.ts"
import { Maintenance } from "../features/clean-up/maintenance.ts"
import { untilNoClone } from "../features/clone/ensure-cloned.ts"
import { Containment } from "../features/containment/containment.ts"
import { fallbacksOf } from "../features/fallbacks/take-over.ts"
import { imagesOf } from "../features/files/file-documents.ts"
import { forksIn } from "../features/forks/forks.ts"
import { beforeRun } from "../features/hooks/before-run.ts"
import { Hooks } from "../features/hooks/hooks.ts"
import { postPush } from "../features/hooks/push/endpoint.ts"
import { guardOf } from "../features/permissions/permit.ts"
import type { PoolWorktree } from "../features/pool/pool.ts"
import { keepPools, listPoolPlaces, setUpAhead } from "../features/pool/pools.ts"
import { poolOf } from "../features/pool/worktree-pool.ts"
import { planLanding } from "../features/preview/plan.ts"
import { KnownForges } from "../features/pull-requests/forges.ts"
import { followReviews } from "../features/reviews/reviews.ts"
import { Schedules } from "../features/schedules/schedules.ts"
import { createSource } from "../features/sources/create-source.ts"
import { SourceLoop } from "../features/sources/source-loop.ts"
import { StaticStrategy } from "../features/static/strategy.ts"
import { followSubTasks } from "../features/sub-tasks/sub-tasks.ts"
import { Terminals } from "../features/terminals/terminals.ts"
import { createTraces, type Traces } from "../features/traces/traces.ts"
import { restOfUnapproved } from "../features/trust/require-trust.ts"
import { DaemonEndingError } from "../kernel/errors.ts"
import { abortable } from "../kernel/git/start/limits.ts"
import { pathOfRepo } from "../kernel/home.ts"
import type { Forges } from "../kernel/landing/action.ts"
import { checkWork } from "../kernel/landing/gate/check-work.ts"
import { landingLoop } from "../kernel/landing/loop.ts"
import { rebaseToMain } from "../kernel/landing/rebase-to-main.ts"
import { findLanding, findLandingOfTask } from "../kernel/landing/rows/find.ts"
import { agentEnvironment } from "../kernel/process/environment.ts"
import type { ProcessOwner } from "../kernel/process/owner.ts"
import { findHomeRow } from "../kernel/store/home.ts"
import type { Db } from "../kernel/store/open.ts"
import { listChangedFiles } from "../kernel/tasks/actions/changed-files.ts"
import { listRepositories } from "../kernel/tasks/actions/list-repositories.ts"
import { AgentSecrets } from "../kernel/tasks/agent-secrets.ts"
import type { JobsContext } from "../kernel/tasks/context.ts"
import { jobsLoop } from "../kernel/tasks/loop.ts"
import { prepareWorkspace } from "../kernel/tasks/prepare-workspace.ts"
import { findTask } from "../kernel/tasks/rows/find.ts"
import type { Task } from "../kernel/tasks/rows/row.ts"
import { mintSessionId } from "../kernel/tasks/session-id.ts"
import { Slots } from "../kernel/tasks/slots.ts"
import { taskEnvironment } from "../kernel/tasks/task-environment.ts"
import { Written } from "../kernel/tasks/written.ts"
import { Waits } from "../kernel/waits/waits.ts"
import type { WorktreePlace } from "../kernel/workspaces/facts.ts"
import { GitWorktreeStrategy } from "../kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../kernel/workspaces/locks/task-lock.ts"
import { AgentConnections } from "./agents/agent-connections.ts"
import { createSettings } from "./agents/settings.ts"
import { describeRow } from "./describe-error.ts"
import { FEATURES } from "./features.ts"
import { createOwner } from "./processes.ts"

export type Parts = {
  readonly home: string
  readonly stateDir: string
  /** The home's permanent name. */
  readonly name: string
  readonly config: LiveConfig
  readonly db: Db
  readonly world: World
  readonly log: Logger
  readonly agents: AgentAccess
  readonly traces: Traces
}

export type Composed = {
  readonly fleet: Fleet
  start(): void
  /** Interrupts everything: agents are ended, landings stop at their next safe point. */
  stop(): Promise<void>
}

export function compose(parts: Omit<Parts, "name" | "traces">): Composed {
  const name = findHomeRow(parts.db)?.name ?? parts.stateDir
  const traces = createTraces({ ...parts, env: process.env })
  return composeNamed({ ...parts, name, traces })
}

function composeNamed(parts: Parts): Composed {
  const { db, world, stateDir } = parts
  const ending = new AbortController()
  const settings = createSettings(parts, ending.signal)
  const { containment, owner, exchangeCommits } = createProcesses(settings)
  const { workspaces, pools } = createWorkspaces(parts, settings, owner)
  const { findAgent, runtime } = settings
  const agentsOwn = (task: Task, repoName: string) =>
    environmentOf(parts, settings, { task, repoName, forAgent: true })
  const onBug = (error: unknown) => parts.log.error({ err: error }, "a bug in Coppice")
  const context = createContext(parts, settings, { owner, workspaces, onBug, exchangeCommits })

  const connections = new AgentConnections({ ...parts, secrets: context.secrets }, onBug)
  const onError = (what: string) => (id: number | string | undefined, error: unknown) =>
    parts.log.error({ err: error, [what]: id }, `${what} rests after an error`)
  const landings = landingLoop(context, onError("landing"), describeRow(settings, findLanding))
  const account = (agent: AgentConfig) =>
    runtime(agent).account(agentEnvironment(process.env, agent.env))
  const runParts = createRunParts(parts, settings, { owner, rows: () => fleet })
  const { begin: connectAgent, takeReport } = connections
  const ofAgents = { agentEnvironment: agentsOwn, connectAgent, takeReport, runtime, account }
  const ofJobs = { ...context, ...ofAgents, ...runParts, findAgent, mintSessionId }
  const withFallbacks = { ...ofJobs, fallbacks: fallbacksOf(ofJobs) }
  const jobs = jobsLoop(withFallbacks, onError("task"), describeRow(settings, findTask))
  const findRest: Fleet["findRest"] = (task, landing) =>
    restOfUnapproved(parts.config) ??
    jobs.findRest(task) ??
    (landing && landings.findRest(landing)) ??
    null
  const maintenance = createMaintenance(parts, settings, context)
  const edgeLoops = createEdgeLoops(parts, settings, { owner, onError, rows: () => fleet })
  const terminals = new Terminals({ ...settings, owner, workspaces }, onBug)
  const attachments = watchAttachments({ db, world, stateDir }, onError("attached task"))
  const fleet: Fleet = {
    ...settings,
    features: FEATURES,
    agentEnvironment: agentsOwn,
    findRest,
    retry: (task) => {
      jobs.retry(task)
      landings.retry(findLandingOfTask(db, task)?.id)
    },
    ...createAnswers(context, runParts.slots, ending.signal),
    progress: connections.progress,
    maintenance,
    terminals,
    ...edgeLoops,
    rebaseToMain: (task, repo) => containment.rebase(task, () => rebaseToMain(context, task, repo)),
  }
  const loops = [landings, jobs, maintenance, ...Object.values(edgeLoops)]
  return {
    fleet,
    start: () => {
      workspaces.sweep()
      for (const part of [...loops, pools, attachments]) part.start()
    },
    stop: async () => {
      ending.abort(new DaemonEndingError())
      attachments.stop()
      terminals.stop()
      pools.stop()
      await Promise.all([...loops.map((one) => one.stop()), untilNoClone()])
      connections.end()
      await owner[Symbol.asyncDispose]()
      await workspaces.settled()
    },
  }
}

/** Answers about one task, and work on it that a person or its agent asks for. */
function createAnswers(
  context: ReturnType<typeof createContext>,
  slots: Slots,
  ending: AbortSignal,
): Pick<Fleet, Answered> {
  return {
    findStep: (task) => context.waits.find(task) ?? null,
    findBounds: (task) => slots.findBounds(task),
    findWait: (task) => context.taskLock.worktrees.findWait(task),
    checkWork: (task, repos, signal) => checkWork(context, { task, repos }, signal),
    prepareByHand: ({ id }, agent) =>
      abortable(ending, () => prepareWorkspace(context, id, ending, agent)),
    planLanding: (task) => planLanding(context, task),
    written: context.written,
    secrets: context.secrets,
  }
}

type Answered =
  | "findStep"
  | "findBounds"
  | "findWait"
  | "checkWork"
  | "prepareByHand"
  | "planLanding"
  | "written"
  | "secrets"

type EdgeParts = {
  readonly owner: ProcessOwner
  onError(what: string): (id: number | string | undefined, error: unknown) => void
  rows(): Fleet
}

/** The loops that begin work, or report it, without a person's request. */
function createEdgeLoops(
  parts: Parts,
  settings: ConfiguredHome,
  { owner, onError, rows }: EdgeParts,
) {
  const { config: live, db, world, home } = parts
  const address = () => parts.agents.address
  const sources = createSources(parts, settings)
  const poll = (source: string, key?: string) => sources.poll(source, key)
  return {
    sources,
    schedules: new Schedules({ ...settings, live, poll }, onError("schedule")),
    subTasks: followSubTasks(settings, onError("sub-task")),
    reviews: followReviews(settings, onError("review")),
    traces: parts.traces,
    hooks: new Hooks(
      { db, world, home, live, owner, rows, address, post: postPush },
      onError("hook"),
    ),
  }
}

/** For runs of agents: the hooks before each, and limits for all of them. */
function createRunParts(
  { db, world, home, config }: Parts,
  { agentConfig }: ConfiguredHome,
  { owner, rows }: Pick<EdgeParts, "owner" | "rows">,
): Pick<JobsContext, "beforeRun" | "changedFiles" | "limits" | "slots"> {
  const context = { db, world, home, owner, rows }
  return {
    beforeRun: (task, signal) => beforeRun(context, { task, agent: agentConfig(task), signal }),
    changedFiles: (task) => listChangedFiles(task, findLandingOfTask(db, task.id)),
    limits: () => config.current.limits,
    slots: new Slots(),
  }
}

type Facts = Omit<Parameters<typeof taskEnvironment>[1], "home" | "agent">

function environmentOf(
  { db, name, traces }: Parts,
  { agentConfig }: ConfiguredHome,
  facts: Facts,
): Record<string, string> {
  const { task, forAgent = false } = facts
  const traced = traces.variables(task.id, { forAgent })
  return { ...traced, ...taskEnvironment(db, { home: name, ...facts, agent: agentConfig(task) }) }
}

function createProcesses(settings: ConfiguredHome) {
  const containment = new Containment({
    ...settings,
    repos: () => settings.config().repos.map((repo) => pathOfRepo(settings.home, repo)),
  })
  const owner = createOwner(settings.db, settings.world, containment.contain)
  return { containment, owner, exchangeCommits: containment.exchangeWith(owner) }
}

type Made = {
  readonly owner: ProcessOwner
  readonly workspaces: GitWorktreeStrategy
  onBug(error: unknown): void
  readonly exchangeCommits: JobsContext["exchangeCommits"]
}

function createContext(parts: Parts, settings: ConfiguredHome, made: Made) {
  const { db, world, name } = parts
  const { agentConfig, repoConfig, findAttached } = settings
  const forges = new KnownForges(() => world.nowMs())
  const forgeOf: Forges["forgeOf"] = (repo, address) => forges.find(repoConfig(repo), address)
  const environment = (task: Task, repoName: string, place?: WorktreePlace) =>
    environmentOf(parts, settings, { task, repoName, place })
  const secrets = new AgentSecrets()
  return {
    db,
    world,
    agentConfig,
    repoConfig,
    findAttached,
    environment,
    forgeOf,
    ...made,
    folders: new StaticStrategy(),
    imagesOf: imagesOf(settings),
    disposables: made.workspaces,
    home: name,
    taskLock: new TaskLock(),
    waits: new Waits(),
    written: new Written(),
    secrets,
    forks: forksIn(db),
    guard: guardOf({ db, world, secrets }),
  }
}

function createWorkspaces(
  { db, world, name, log }: Parts,
  settings: ConfiguredHome,
  owner: ProcessOwner,
) {
  const onError = (error: unknown) => log.error({ err: error }, "a pool is left as it is")
  const listPlaces = () => listPoolPlaces(settings)
  const setUp = (made: PoolWorktree) => setUpAhead({ owner, home: name }, made)
  const nowMs = () => world.nowMs()
  const pool = poolOf({ home: name, db, nowMs, listPlaces, setUp, onError })
  const workspaces = new GitWorktreeStrategy({ home: name, db, pool })
  return { workspaces, pools: keepPools(db, () => workspaces.tendPools()) }
}

function createMaintenance(
  { home, name, log }: Parts,
  settings: ConfiguredHome,
  context: Omit<MaintenanceContext, "name" | "config" | "findAgent" | "listRepositories">,
): Maintenance {
  const { config, findAgent } = settings
  const listAll = () => listRepositories(settings)
  return new Maintenance(
    { ...context, home, name, config, findAgent, listRepositories: listAll },
    (error) => log.error({ err: error }, "cleaning up rests after an error"),
  )
}

function createSources({ home, world, log }: Parts, fleet: ConfiguredHome): SourceLoop {
  return new SourceLoop({
    fleet,
    createSource: (config) => createSource(home, config, world.nowMs),
    onError: (error) => log.error({ err: error }, "a source rests after an error"),
  })
}
