/**
 * Landings in a {@link TestRepo}, made by raw git, and the loop's own step driven by hand.
 *
 * Clock, dice and points are the test's. An exception from a point is a crash; then a new program goes on.
 */
import { randomUUID } from "node:crypto"
import { assert } from "../../src/base/assert.ts"
import { AppError, isTransient } from "../../src/base/errors.ts"
import {
  branchRef,
  type LandingId,
  type Oid,
  type SessionId,
  type TaskId,
} from "../../src/base/ids.ts"
import type {
  AgentConfig,
  LandingConfig,
  PullRequestConfig,
  RepoConfig,
  WorkspaceConfig,
} from "../../src/config/config.ts"
import { defaultConfig } from "../../src/config/parse.ts"
import type { Forge } from "../../src/features/pull-requests/forges/forge.ts"
import { addPullRequest } from "../../src/features/pull-requests/rows.ts"
import { findGitDir } from "../../src/kernel/git/start/git-dir.ts"
import type { LandingContext } from "../../src/kernel/landing/action.ts"
import { hashAddresses } from "../../src/kernel/landing/hash-addresses.ts"
import { addLanding } from "../../src/kernel/landing/rows/add.ts"
import { findLanding, findLandingOfTask } from "../../src/kernel/landing/rows/find.ts"
import { recordLanding, resubmitPaused } from "../../src/kernel/landing/rows/record.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import type { LandMode } from "../../src/kernel/landing/rules/landing-states.ts"
import { tickLanding } from "../../src/kernel/landing/tick.ts"
import { ProcessOwner } from "../../src/kernel/process/owner.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { claimHome } from "../../src/kernel/store/home.ts"
import { type Db, openDb } from "../../src/kernel/store/open.ts"
import { addTask } from "../../src/kernel/tasks/rows/add.ts"
import { findTask } from "../../src/kernel/tasks/rows/find.ts"
import { startJob } from "../../src/kernel/tasks/rows/jobs/record.ts"
import { recordTask, type TaskChange } from "../../src/kernel/tasks/rows/record.ts"
import type { Task } from "../../src/kernel/tasks/rows/row.ts"
import { addSession } from "../../src/kernel/tasks/rows/sessions/record.ts"
import { recordWorkspace } from "../../src/kernel/tasks/rows/task-repos/workspace.ts"
import { closeTurn } from "../../src/kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../src/kernel/tasks/rows/turns/find.ts"
import type { ActiveState } from "../../src/kernel/tasks/rules.ts"
import { Waits } from "../../src/kernel/waits/waits.ts"
import { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../../src/kernel/workspaces/locks/task-lock.ts"
import { markMade } from "../../src/kernel/workspaces/made-here.ts"
import { recordWorktree } from "../../src/kernel/workspaces/rows/worktrees.ts"
import type { TestRepo } from "./repo.ts"

/** Without a gate nothing is tested; one that is undefined is guessed. */
export type LandingTestOptions = Partial<
  Pick<
    RepoConfig,
    | "gate"
    | "gateTimeoutMs"
    | "gateFiles"
    | "gateWrites"
    | "approve"
    | "setup"
    | "copy"
    | "teardown"
    | "pushTarget"
    | "hooks"
  >
> &
  Partial<
    Pick<
      LandingConfig,
      "handbacksMax" | "attemptsMax" | "gateIn" | "lockTimeoutMs" | "sign" | "signoff"
    >
  > & {
    /** The forge of what is shipped, by the address of the remote. */
    readonly forgeOf?: (address: string) => Forge
    /** `landing.hooks`; `hooks` has their approved texts. */
    readonly landingHooks?: LandingConfig["hooks"]
    readonly onPushFailure?: WorkspaceConfig["onPushFailure"]
    readonly pullRequest?: Partial<PullRequestConfig>
    /** Commands of the home's hooks; set iff the agent is contained. */
    readonly outside?: readonly string[]
    /** `env` of the agent. */
    readonly env?: Readonly<Record<string, string>>
    /** Two over one repository are two homes: each counts its tasks from 1, and its refs are its own. */
    readonly home?: string
    /** The repository to land in, if not the main worktree of the TestRepo. */
    readonly path?: string
    /** Default: `main`. */
    readonly target?: string
    /** Further repositories of every task, by name; the first one's is `app`. */
    readonly also?: Readonly<Record<string, TestRepo>>
    /** Gates of those that have one of their own, by name. */
    readonly gates?: Readonly<Record<string, string>>
    /** Path of the store, if other processes share it. */
    readonly dbPath?: string
  }

export type TaskToLand = {
  readonly branch: string
  /** Default: the one that {@link TestRepo.worktree} makes for the branch; null: none. */
  readonly worktree?: string | null
  /** Default: the target. */
  readonly base?: Oid
  readonly placed?: readonly string[]
  readonly title?: string
  /** Default: `merge`. */
  readonly land?: LandMode
  /** The task whose work it starts from. */
  readonly on?: TaskId
}

export class Crash extends Error {}

/** A path, as every home's permanent name is. */
const HOME = "/state of/landing-test"
const STEPS_MAX = 60
const USAGE = { turns: 1, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export class LandingTest implements AsyncDisposable {
  readonly db: Db
  readonly repo: TestRepo
  /** Every point that was passed, in order. */
  readonly points: string[] = []
  nowMs = Date.UTC(2024, 0, 2)
  /** May interfere, or throw a {@link Crash}. */
  onPoint: (name: string) => void | Promise<void> = () => {}
  /** Called where the loop would rest before it tries again; without it, such an error is thrown. */
  onRest: ((error: unknown) => void) | undefined
  readonly #options: LandingTestOptions
  /** The purpose of each process that was started. */
  readonly purposes: string[] = []
  readonly #owner = new ProcessOwner({
    mark: `landing-test-${randomUUID()}`,
    onStart: (_process, { purpose }) => void this.purposes.push(purpose),
  })
  readonly #home: string
  readonly #workspaces: GitWorktreeStrategy
  #context: LandingContext

  constructor(repo: TestRepo, options: LandingTestOptions = {}) {
    this.repo = repo
    this.#options = options
    this.#home = options.home ?? HOME
    this.db = openDb(options.dbPath ?? ":memory:")
    claimHome(this.db, { name: this.#home, path: this.path })
    this.#workspaces = new GitWorktreeStrategy({ home: this.#home, db: this.db })
    this.#context = this.#restarted()
  }

  /** For tests that drive landings by other means. */
  get context(): LandingContext {
    return this.#context
  }
  get path(): string {
    return this.#options.path ?? this.repo.path
  }
  get target(): string {
    return this.#options.target ?? "main"
  }

  /** A task whose agent has just stopped: its landing is submitted. */
  submit(task: TaskToLand): LandingId {
    return this.request(this.begin(task))
  }

  /** A task whose agent is at work. */
  begin(task: TaskToLand): TaskId {
    const { path, target, db } = this
    const also = Object.entries(this.#options.also ?? {})
    const others = also.map(([name, { path }]) => ({ name, path, target }))
    const repos = [{ name: "app", path, target }, ...others]
    const words = { title: task.title ?? "Do it", prompt: "Do it.", agent: "claude" }
    const { land = "merge", on } = task
    const { id } = addTask(db, { ...words, workItem: null, land, on, repos }, this.nowMs)
    this.#record(id, { event: "started" })
    const session = `session-${id}` as SessionId
    addSession(db, { id: session, job: startJob(db, id, this.nowMs).id }, this.nowMs)
    const { branch, placed = [] } = task
    const base = task.base ?? this.tip(target)
    const worktree = task.worktree ?? worktreeOf(this.repo, branch)
    recordWorkspace(db, {
      task: id,
      name: "app",
      branch,
      worktree,
      entry: findGitDir(worktree),
      base,
      placed,
    })
    recordWorktree(db, { path: worktree, repo: path, purpose: "task", task: id, branch })
    if (land === "pr") this.#proposeAt(id, this.repo.git("remote", "get-url", "origin"))
    const entry = findGitDir(worktree)
    if (entry) markMade(entry)
    for (const [name, repo] of also) {
      const base = repo.git("merge-base", target, branch) as Oid
      const worktree = worktreeOf(repo, branch)
      recordWorkspace(db, { task: id, name, branch, worktree, base, placed: [] })
      const made = { path: worktree, repo: repo.path, purpose: "task", task: id, branch } as const
      recordWorktree(db, made)
    }
    return id
  }

  #proposeAt(task: TaskId, address: string): void {
    addPullRequest(this.db, {
      task,
      name: "app",
      address: hashAddresses({ push: address, fetch: address }),
    })
  }

  /** The agent that was at work has stopped. */
  request(id: TaskId): LandingId {
    const task = findTask(this.db, id)
    assert(task, "a task that was begun is there")
    this.#record(id, { event: task.land === "pr" ? "shippingStarted" : "landingRequested" })
    const repos = task.repos.map(({ name, path, target }) => {
      return { name, path, target: branchRef(target) }
    })
    return addLanding(this.db, { task: id, repos }, this.nowMs).id
  }

  /** The agent's next turn has ended. */
  resubmit(id: LandingId): void {
    const { task } = this.landing(id)
    const turn = findOpenTurn(this.db, task)
    if (turn)
      closeTurn(this.db, turn, { usage: { ...USAGE, costUsd: null }, message: null }, this.nowMs)
    const isPull = this.task(id).land === "pr"
    this.#record(task, { event: isPull ? "shippingStarted" : "landingRequested" })
    recordLanding(this.db, this.landing(id), { event: "resubmitted" }, this.nowMs)
  }

  /** A person pauses its task, and resumes it. */
  pauseAndResume(id: LandingId): void {
    const { task } = this.landing(id)
    const { state } = this.task(id)
    this.#record(task, { event: "paused" })
    recordLanding(this.db, this.landing(id), { event: "paused" }, this.nowMs)
    this.#record(task, { event: `resumed:${state as ActiveState}` })
    resubmitPaused(this.db, task, this.nowMs)
  }

  /** Steps until the landing settles, waits, or is behind another one. */
  async run(id: LandingId, signal: AbortSignal = new AbortController().signal): Promise<Landing> {
    for (let steps = 0; steps < STEPS_MAX; steps++)
      if (!(await this.step(id, signal))) return this.landing(id)
    throw new Error(`a landing goes on for ever: ${this.trace(id).join(" ")}`)
  }

  /** @returns whether there may be more to do now. */
  async step(id: LandingId, signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    try {
      return await tickLanding(this.#context, id, signal)
    } catch (error) {
      if (error instanceof Crash) this.#context = this.#restarted()
      else if (this.onRest && (error instanceof AppError || isTransient(error))) this.onRest(error)
      else throw error
      return true
    }
  }

  /** Runs, and each time it waits lets the time pass until it looks again. */
  async runThrough(id: LandingId, waits = 3): Promise<Landing> {
    let landing = await this.run(id)
    for (let n = 0; n < waits && landing.state === "waiting" && landing.wakeAtMs !== null; n++) {
      this.wake(id)
      landing = await this.run(id)
    }
    return landing
  }

  /** The time has come to look again. */
  wake(id: LandingId): void {
    const landing = this.landing(id)
    this.nowMs = Math.max(this.nowMs, landing.wakeAtMs ?? this.nowMs)
    assert(recordLanding(this.db, landing, { event: "woken" }, this.nowMs), "it waits")
  }

  landing(id: LandingId): Landing {
    const landing = findLanding(this.db, id)
    assert(landing, "a landing that was submitted is there")
    return landing
  }
  task(id: LandingId): Task {
    const task = findTask(this.db, this.landing(id).task)
    assert(task, "a landing has a task")
    return task
  }
  landingOf(task: TaskId): Landing | undefined {
    return findLandingOfTask(this.db, task)
  }

  /** The commit of a branch or ref of the repository. */
  tip(name: string): Oid {
    return this.repo.gitIn(this.path, "rev-parse", name) as Oid
  }
  /** Every file of a commit, by path. */
  files(commit = this.target): Record<string, string> {
    const names = this.repo.gitIn(this.path, "ls-tree", "-r", "--name-only", commit)
    const paths = names.split("\n").filter(Boolean)
    return Object.fromEntries(
      paths.map((path) => [path, this.repo.gitIn(this.path, "show", `${commit}:${path}`)]),
    )
  }
  /** Subjects of a branch, oldest first. */
  history(branch = this.target): string[] {
    return this.repo.gitIn(this.path, "log", "--reverse", "--format=%s", branch).split("\n")
  }
  /** Events of the landing and its task: their types, in order. */
  trace(id: LandingId): string[] {
    const { task } = this.landing(id)
    return listEvents(this.db, { after: 0, task, limit: 1000 }).map(({ type }) => type)
  }
  /** Nothing of ours is left beside what was there: no lock, keep ref, scratch or worktree. */
  leftRefs(): string[] {
    return this.repo
      .gitIn(this.path, "for-each-ref", "--format=%(refname)", "refs/coppice")
      .split("\n")
      .filter(Boolean)
  }

  /** Removed worktrees are deleted from the disk, too. */
  async settled(): Promise<void> {
    await this.#workspaces.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owner[Symbol.asyncDispose]()
    await this.#workspaces.settled()
    this.db.close()
  }

  #record(id: TaskId, change: TaskChange): void {
    const task = findTask(this.db, id)
    assert(task && recordTask(this.db, task, change, this.nowMs), "the task goes on")
  }

  #restarted(): LandingContext {
    const [agent] = defaultConfig("app").agents
    const [repo] = defaultConfig("app").repos
    assert(agent && repo, "the default configuration is whole")
    const point = async (name: string) => {
      this.points.push(name)
      await this.onPoint(name)
    }
    const options = () => this.#options
    return {
      world: { nowMs: () => this.nowMs, dice: () => 0.5, point },
      db: this.db,
      home: this.#home,
      owner: this.#owner,
      workspaces: this.#workspaces,
      disposables: this.#workspaces,
      taskLock: new TaskLock(),
      waits: new Waits(),
      agentConfig: (): AgentConfig => {
        const { handbacksMax = 2, attemptsMax = 3, gateIn = "worktree" } = options()
        const { lockTimeoutMs = 30_000, sign = false, signoff = false } = options()
        const { landingHooks: hooks = [], onPushFailure = "retry", pullRequest } = options()
        const landing = { handbacksMax, attemptsMax, gateIn, lockTimeoutMs, sign, signoff, hooks }
        const workspace = { ...agent.workspace, onPushFailure }
        const pulls = { ...agent.pullRequest, ...pullRequest }
        const { outside } = options()
        const more = { workspace, pullRequest: pulls, ...(outside && { outside }) }
        return { ...agent, ...more, landing: { ...agent.landing, ...landing } }
      },
      repoConfig: ({ name, path }): RepoConfig => {
        const { gateTimeoutMs = 60_000, gates = {}, setup = false, copy = [] } = options()
        const gate = gates[name] ?? ("gate" in options() ? options().gate : false)
        const { approve = false, pushTarget = false, teardown, hooks } = options()
        const { gateFiles, gateWrites = [] } = options()
        const gating = { gate, gateTimeoutMs, gateFiles, gateWrites, ...(hooks && { hooks }) }
        return { ...repo, path, ...gating, setup, teardown, copy, approve, pushTarget }
      },
      forgeOf: (_repo, address) => {
        const { forgeOf } = options()
        assert(forgeOf, "a test that ships has a forge")
        return forgeOf(address)
      },
      environment: (_task, _repo, place) => ({
        PATH: process.env["PATH"] ?? "",
        HOME: this.repo.folder,
        COPPICE_WORKTREE_PATH: place?.worktree ?? "",
        ...this.#options.env,
      }),
      onBug: (error) => {
        throw error
      },
    }
  }
}

/** Where {@link TestRepo.worktree} makes the branch's. */
const worktreeOf = ({ folder }: TestRepo, branch: string): string =>
  `${folder}/worktrees/${branch.replaceAll("/", "-")}`
