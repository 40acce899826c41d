/** Puts a daemon together: the kernel, and the features of the list on top of it. */
import type { Logger } from "pino"
import type { AgentAccess } from "../api/agent-tokens.ts"
import type { RunningFeature } from "../api/feature.ts"
import type { Host } from "../api/feature-host.ts"
import type { ConfiguredHome, Fleet, FleetParts } from "../api/fleet.ts"
import { assert } from "../base/assert.ts"
import type { World } from "../base/world.ts"
import type { AgentConfig } from "../config/config.ts"
import type { LiveConfig } from "../config/live/live-config.ts"
import { Containment } from "../features/containment/containment.ts"
import { fallbacksOf } from "../features/fallbacks/take-over.ts"
import { imagesOf } from "../features/files/file-documents.ts"
import { forksIn } from "../features/forks/forks.ts"
import { guardOf } from "../features/permissions/permit.ts"
import type { PoolWorktree } from "../features/pool/pool.ts"
import { listPoolPlaces, setUpAhead } from "../features/pool/pools.ts"
import { poolOf } from "../features/pool/worktree-pool.ts"
import { KnownForges } from "../features/pull-requests/find-forge.ts"
import { StaticStrategy } from "../features/static/strategy.ts"
import { restOfUnapproved } from "../features/trust/require-trust.ts"
import { DaemonEndingError } from "../kernel/errors.ts"
import { abortable } from "../kernel/git/start/limits.ts"
import { pathOfRepo } from "../kernel/home.ts"
import type { Forges } from "../kernel/landing/action.ts"
import { checkWork } from "../kernel/landing/gate/check-work.ts"
import { landingLoop } from "../kernel/landing/loop.ts"
import { rebaseToMain } from "../kernel/landing/rebase-to-main.ts"
import { findLanding, findLandingOfTask } from "../kernel/landing/rows/find.ts"
import { commitKept } from "../kernel/landing/snapshot/commit-kept.ts"
import { agentEnvironment } from "../kernel/process/environment.ts"
import type { ProcessOwner } from "../kernel/process/owner.ts"
import { findHomeRow } from "../kernel/store/home.ts"
import type { Db } from "../kernel/store/open.ts"
import { listChangedFiles } from "../kernel/tasks/actions/changed-files.ts"
import { AgentSecrets } from "../kernel/tasks/agent-secrets.ts"
import { Slots } from "../kernel/tasks/agent-slots.ts"
import type { JobsContext } from "../kernel/tasks/context.ts"
import { jobsLoop } from "../kernel/tasks/loop.ts"
import { prepareWorkspace } from "../kernel/tasks/prepare-workspace.ts"
import { findTask } from "../kernel/tasks/rows/find.ts"
import type { Task } from "../kernel/tasks/rows/row.ts"
import { mintSessionId } from "../kernel/tasks/session-id.ts"
import { taskEnvironment } from "../kernel/tasks/task-environment.ts"
import { Written } from "../kernel/tasks/text-in-progress.ts"
import { Waits } from "../kernel/waits/waits.ts"
import { GitWorktreeStrategy } from "../kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../kernel/workspaces/locks/task-lock.ts"
import type { WorktreePlace } from "../kernel/workspaces/workspace-facts.ts"
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
  /** Filled in when the kernel is there. */
  readonly features: RunningFeature[]
}

export type Composed = {
  readonly fleet: Fleet
  start(): void
  /** Interrupts everything: agents are ended, landings stop at their next safe point. */
  stop(): Promise<void>
}

export function compose(parts: Omit<Parts, "name" | "features">): Composed {
  const name = findHomeRow(parts.db)?.name ?? parts.stateDir
  return composeNamed({ ...parts, name, features: [] })
}

function composeNamed(parts: Parts): Composed {
  const { db, config: live, log, features } = parts
  const ending = new AbortController()
  const settings = createSettings(parts, ending.signal)
  const { containment, owner, exchangeCommits } = createProcesses(settings)
  const workspaces = createWorkspaces(parts, settings, owner)
  const { findAgent, runtime } = settings
  const agentsOwn = (task: Task, repoName: string) =>
    environmentOf(parts, settings, { task, repoName, forAgent: true })
  const onBug = (error: unknown) => log.error({ err: error }, "a bug in Coppice")
  const context = createContext(parts, settings, { owner, workspaces, onBug, exchangeCommits })

  const connections = new AgentConnections({ ...parts, secrets: context.secrets }, onBug)
  const onError = (what: string) => (id: number | string | undefined, error: unknown) =>
    log.error({ err: error, [what]: id }, `${what} rests after an error`)
  const landings = landingLoop(context, onError("landing"), describeRow(settings, findLanding))
  const account = (agent: AgentConfig) =>
    runtime(agent).account(agentEnvironment(process.env, agent.env))
  const runParts = createRunParts(parts, settings)
  const { begin: connectAgent, takeReport } = connections
  const ofAgents = { agentEnvironment: agentsOwn, connectAgent, takeReport, runtime, account }
  const commits = { commitKept: (task: Task) => commitKept(context, task) }
  const ofJobs = { ...context, ...ofAgents, ...runParts, ...commits, findAgent, mintSessionId }
  const withFallbacks = { ...ofJobs, fallbacks: fallbacksOf(ofJobs) }
  const jobs = jobsLoop(withFallbacks, onError("task"), describeRow(settings, findTask))
  const findRest: Fleet["findRest"] = (task, landing) =>
    restOfUnapproved(live) ?? jobs.findRest(task) ?? (landing && landings.findRest(landing)) ?? null
  const kernels: Omit<Fleet, keyof FleetParts> = {
    ...settings,
    features,
    agentEnvironment: agentsOwn,
    findRest,
    retry: (task) => {
      jobs.retry(task)
      landings.retry(findLandingOfTask(db, task)?.id)
    },
    ...createAnswers(context, runParts.slots, ending.signal),
    progress: connections.progress,
    rebaseToMain: (task, repo) => containment.rebase(task, () => rebaseToMain(context, task, repo)),
  }
  const fleet = kernels as Fleet // the parts of features follow here
  addFeatures(features, { fleet, live, log, kernel: context, onError, onBug })
  const loops = [landings, jobs, ...features]
  return {
    fleet,
    start: () => {
      workspaces.sweep()
      for (const part of loops) part.start?.()
    },
    stop: async () => {
      ending.abort(new DaemonEndingError())
      for (const feature of features.toReversed()) feature.end?.()
      await Promise.all(loops.map((part) => part.stop?.()))
      connections.end()
      await owner[Symbol.asyncDispose]()
      await workspaces.settled()
    },
  }
}

function addFeatures(features: RunningFeature[], host: Host): void {
  for (const feature of FEATURES) {
    const part = feature.create?.(host) ?? {}
    for (const name of Object.keys(part.fleet ?? {}))
      assert(!(name in host.fleet), "a part of the fleet has one maker")
    Object.assign(host.fleet, part.fleet)
    features.push({ ...feature, ...part })
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
  | "written"
  | "secrets"

/** For runs of agents: what features do before each, and limits for all of them. */
function createRunParts(
  { db, config, features }: Parts,
  { agentConfig }: ConfiguredHome,
): Pick<JobsContext, "beforeRun" | "changedFiles" | "limits" | "slots"> {
  return {
    beforeRun: async (task, signal) => {
      const run = { task, agent: agentConfig(task), signal }
      for (const feature of features) {
        const refusal = await feature.beforeRun?.(run)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    changedFiles: (task) => listChangedFiles(task, findLandingOfTask(db, task.id)),
    limits: () => config.current.limits,
    slots: new Slots(),
  }
}

type Facts = Omit<Parameters<typeof taskEnvironment>[1], "home" | "agent">

function environmentOf(
  { db, name, features }: Parts,
  { agentConfig }: ConfiguredHome,
  facts: Facts,
): Record<string, string> {
  const { task, forAgent = false } = facts
  const others = features.map(({ variables }) => variables?.(task.id, { forAgent }))
  const traced: Record<string, string> = Object.assign({}, ...others)
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
  return new GitWorktreeStrategy({ home: name, db, pool })
}
