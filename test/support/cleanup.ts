/**
 * Cleaning up in a {@link TestRepo}: worktrees that real set-ups made, tasks in whatever state, and
 * the clean-up driven by hand.
 *
 * Clock and points are the test's; git, the store and the disk are real. An exception from a point is a
 * crash: {@link CleanupTest.restart} is the next start.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { assert } from "../../src/base/assert.ts"
import type { TaskId } from "../../src/base/ids.ts"
import { agentOfTask } from "../../src/config/agent-of-task.ts"
import type { Config } from "../../src/config/config.ts"
import { defaultConfig, parseConfig } from "../../src/config/parse.ts"
import type { MaintenanceContext } from "../../src/features/clean-up/clean-up-item.ts"
import { Maintenance } from "../../src/features/clean-up/maintenance.ts"
import type { GcDocument, GcItem } from "../../src/features/clean-up/wire.ts"
import { ProcessOwner } from "../../src/kernel/process/owner.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { openDb } from "../../src/kernel/store/open.ts"
import { addTask } from "../../src/kernel/tasks/rows/add.ts"
import { recordWorkspace } from "../../src/kernel/tasks/rows/task-repos/workspace.ts"
import type { TaskState } from "../../src/kernel/tasks/rules.ts"
import { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../../src/kernel/workspaces/locks/task-lock.ts"
import type { Workspace } from "../../src/kernel/workspaces/workspace.ts"
import { TestRepo } from "./repo.ts"
import { forceState } from "./store.ts"
import { workspaceRequest } from "./workspaces.ts"

export const HOME = "cleanup-test"
export const DAY_MS = 24 * 3_600_000

export type TaskToClean = {
  /** Default: complete. `none`: no task has it. */
  readonly state?: TaskState | "none"
  /** The task's set-up was cut off before it was on record. */
  readonly unrecorded?: boolean
}

export class CleanupTest implements AsyncDisposable {
  readonly repo: TestRepo
  readonly db = openDb(":memory:")
  /** Beside the clock of the disk. */
  nowMs = Date.now()
  onPoint: (name: string) => void = () => {}
  #config: Config = defaultConfig("app")
  #tasks = 0
  readonly #owner = new ProcessOwner({ mark: `cleanup-test-${randomUUID()}` })
  #strategy = new GitWorktreeStrategy({ home: HOME, db: this.db })
  #maintenance: Maintenance

  constructor(repo = new TestRepo()) {
    this.repo = repo
    this.#maintenance = this.#start()
  }

  /** Where worktrees lie. */
  get folder(): string {
    return join(this.repo.folder, "app.worktrees")
  }

  /** @param maintenance as in coppice.yml. */
  configure(maintenance: object, workspace: object = {}): void {
    const agents = { claude: { workspace } }
    const text = JSON.stringify({ version: 1, agents, maintenance })
    const parsed = parseConfig(text, {}, "app")
    assert(parsed.kind === "ok", JSON.stringify(parsed))
    this.#config = parsed.config
  }

  /** The next start: nothing in memory is left of this one. */
  restart(): void {
    this.#strategy = new GitWorktreeStrategy({ home: HOME, db: this.db })
    this.#maintenance = this.#start()
  }

  /** A worktree that a set-up has made for a task. */
  async worktree({
    state = "complete",
    unrecorded,
  }: TaskToClean = {}): Promise<Workspace & { readonly task: TaskId }> {
    const { repo, db } = this
    const repos = [{ name: "app", path: repo.path, target: "main" }]
    const words = { title: "Do it", prompt: "Do it.", agent: "claude", workItem: null }
    const isNone = state === "none"
    this.#tasks += 1
    const task = isNone
      ? ((1000 + this.#tasks) as TaskId)
      : addTask(db, { ...words, land: "merge", repos }, this.nowMs).id
    const request = workspaceRequest(repo, { task, title: "Do it", repoName: "app" })
    const made = await this.#strategy.setup(request)
    if (!isNone && !unrecorded) recordWorkspace(db, { task, name: "app", ...made })
    if (!isNone) forceState(db, task, state, state === "paused" ? "working" : null)
    return { ...made, task }
  }

  plan(): Promise<GcDocument> {
    return this.#maintenance.preview()
  }

  collect(): Promise<GcDocument> {
    return this.#maintenance.collect()
  }

  get report() {
    return this.#maintenance.report
  }

  /** The entry of a path or ref in a plan or its result. */
  static of({ repos }: GcDocument, name: string): GcItem {
    const items = repos.flatMap((repo) => repo.items).filter((item) => item.name === name)
    assert(items.length === 1, `${name} is in there once`)
    return items[0]!
  }

  /** The data of all events of a type. */
  told(wanted: string): unknown[] {
    const events = listEvents(this.db, { after: 0, limit: 1000 })
    return events.filter(({ type }) => type === wanted).map(({ data }) => data)
  }

  events(): string[] {
    return listEvents(this.db, { after: 0, limit: 1000 }).map(({ type }) => type)
  }

  #start(): Maintenance {
    const context: MaintenanceContext = {
      db: this.db,
      world: { nowMs: () => this.nowMs, dice: Math.random, point: (name) => this.onPoint(name) },
      owner: this.#owner,
      environment: () => ({ PATH: process.env["PATH"] ?? "" }),
      repoConfig: () => this.#config.repos[0]!,
      home: this.repo.path,
      name: HOME,
      workspaces: this.#strategy,
      disposables: this.#strategy,
      taskLock: new TaskLock(),
      config: () => this.#config,
      findAgent: (task) => agentOfTask(this.#config, task),
      listRepositories: async () => [this.repo.path],
    }
    return new Maintenance(context, (error) => {
      throw error
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#strategy.settled()
    await this.#owner[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}
