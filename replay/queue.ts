/** The real landing queue, with a store of its own: topics go in as the work of tasks. */
import { assert } from "../src/base/assert.ts"
import { branchRef, type LandingId, type Oid, type SessionId } from "../src/base/ids.ts"
import { defaultConfig } from "../src/config/parse.ts"
import type { LandingContext } from "../src/kernel/landing/action.ts"
import { landingLoop } from "../src/kernel/landing/loop.ts"
import { addLanding } from "../src/kernel/landing/rows/add.ts"
import { findLanding } from "../src/kernel/landing/rows/find.ts"
import type { Landing } from "../src/kernel/landing/rows/row.ts"
import { ProcessOwner } from "../src/kernel/process/owner.ts"
import type { StoreLoop } from "../src/kernel/store/loop.ts"
import { type Db, openDb } from "../src/kernel/store/open.ts"
import { onCommit } from "../src/kernel/store/sql.ts"
import { addTask } from "../src/kernel/tasks/rows/add.ts"
import { findTask } from "../src/kernel/tasks/rows/find.ts"
import { startJob } from "../src/kernel/tasks/rows/jobs/record.ts"
import { recordTask, type TaskChange } from "../src/kernel/tasks/rows/record.ts"
import type { Task } from "../src/kernel/tasks/rows/row.ts"
import { addSession } from "../src/kernel/tasks/rows/sessions/record.ts"
import { recordWorkspace } from "../src/kernel/tasks/rows/task-repos/workspace.ts"
import { Waits } from "../src/kernel/waits/waits.ts"
import { GitWorktreeStrategy } from "../src/kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../src/kernel/workspaces/locks/task-lock.ts"

const NAME = "replayed"

export type Topic = {
  readonly title: string
  readonly branch: string
  /** Where the task started. */
  readonly base: Oid
}

export class ReplayQueue implements AsyncDisposable {
  readonly #db: Db
  readonly #repo: { readonly name: string; readonly path: string; readonly target: string }
  readonly #owner = new ProcessOwner({ mark: `replay-${process.pid}` })
  readonly #workspaces: GitWorktreeStrategy
  readonly #loop: StoreLoop<LandingId>
  readonly #failed = Promise.withResolvers<{ readonly error: unknown }>()

  /** @param path of a bare repository, without a checkout of the target. */
  constructor(dbPath: string, path: string, target: string) {
    this.#db = openDb(dbPath)
    this.#workspaces = new GitWorktreeStrategy({ home: NAME, db: this.#db })
    this.#repo = { name: NAME, path, target }
    this.#loop = landingLoop(this.#context(), (_, error) => this.#failed.resolve({ error }))
    this.#loop.start()
  }

  /**
   * Lands the branch as the work of a task. It has no gate, and no agent to hand it back to.
   *
   * @returns the landing when it has landed or failed, and how long that took since it was submitted.
   */
  async land(topic: Topic): Promise<{ readonly landing: Landing; readonly timeMs: number }> {
    const task = this.#addTask(topic)
    const startMs = performance.now()
    const ref = { ...this.#repo, target: branchRef(this.#repo.target) }
    const { id } = addLanding(this.#db, { task: task.id, repos: [ref] }, Date.now())
    const landing = await Promise.race([this.#settled(id), this.#failed.promise])
    if ("error" in landing) throw landing.error
    return { landing, timeMs: performance.now() - startMs }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#owner[Symbol.asyncDispose]()
    await this.#workspaces.settled()
    this.#db.close()
  }

  /** As the daemon writes one down whose agent has just stopped. Its worktree is not there. */
  #addTask({ title, branch, base }: Topic): Task {
    const [db, nowMs] = [this.#db, Date.now()]
    const words = { title, prompt: title, agent: "claude", workItem: null, land: "merge" } as const
    const task = addTask(db, { ...words, repos: [this.#repo] }, nowMs)
    this.#change(task, "started")
    addSession(db, { id: `s-${task.id}` as SessionId, job: startJob(db, task.id, nowMs).id }, nowMs)
    const worktree = `${this.#repo.path}.worktrees/${task.id}`
    recordWorkspace(db, { task: task.id, name: NAME, branch, worktree, base, placed: [] })
    this.#change(task, "landingRequested")
    return task
  }

  #change({ id }: Task, event: TaskChange["event"]): void {
    const task = findTask(this.#db, id)
    assert(task && recordTask(this.#db, task, { event }, Date.now()), `the task accepts ${event}`)
  }

  #settled(id: LandingId): Promise<Landing> {
    const settled = Promise.withResolvers<Landing>()
    const stop = onCommit(this.#db, () => {
      const landing = findLanding(this.#db, id)
      if (landing?.state === "landed" || landing?.state === "failed") settled.resolve(landing)
    })
    return settled.promise.finally(stop)
  }

  #context(): LandingContext {
    const { agents, repos } = defaultConfig(NAME)
    const [agent, repo] = [agents[0], repos[0]]
    assert(agent && repo, "the default configuration is whole")
    return {
      db: this.#db,
      home: NAME,
      world: { nowMs: Date.now, dice: Math.random, point: () => {} },
      owner: this.#owner,
      workspaces: this.#workspaces,
      disposables: this.#workspaces,
      taskLock: new TaskLock(),
      waits: new Waits(),
      agentConfig: () => ({ ...agent, landing: { ...agent.landing, handbacksMax: 0 } }),
      repoConfig: () => ({ ...repo, path: this.#repo.path, gate: false }),
      environment: () => ({}),
      forgeOf: () => {
        throw new Error("nothing is shipped here")
      },
      onBug: (error) => this.#failed.resolve({ error }),
    }
  }
}
