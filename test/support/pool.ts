/** A repository with a pool of worktrees, and the store of its home, without a daemon. */

import { statSync } from "node:fs"
import { basename, join } from "node:path"
import type { TaskId } from "../../src/base/ids.ts"
import type { PoolWorktree } from "../../src/features/pool/pool.ts"
import { listPool, type PoolEntry } from "../../src/features/pool/rows/list.ts"
import { poolOf } from "../../src/features/pool/worktree-pool.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { type Db, openDb } from "../../src/kernel/store/open.ts"
import { findTask } from "../../src/kernel/tasks/rows/find.ts"
import { recordRemoved } from "../../src/kernel/tasks/rows/task-repos/removal.ts"
import { recordMade } from "../../src/kernel/tasks/rows/task-repos/work.ts"
import { recordWorkspace } from "../../src/kernel/tasks/rows/task-repos/workspace.ts"
import { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import type {
  BranchWorkspace,
  MadeBranch,
  WorkspaceRequest,
} from "../../src/kernel/workspaces/workspace.ts"
import { TestRepo } from "./repo.ts"
import { addSampleTask, forceState } from "./store.ts"
import { removal, workspaceRequest } from "./workspaces.ts"

const NAME = "app"

export class PoolBench implements AsyncDisposable {
  readonly repo: TestRepo
  readonly #beside: PoolBench | undefined
  readonly db: Db
  strategy: GitWorktreeStrategy
  #ahead: number

  /** The repository's set-up command in a worktree of the pool. */
  setUpAhead: (made: PoolWorktree) => Promise<void> = async () => {}
  onError: (error: unknown) => void = (error) => {
    throw error
  }

  /** @param beside whose repository it is: then it is another home over it. */
  constructor(ahead: number, beside?: PoolBench) {
    this.repo = beside?.repo ?? new TestRepo()
    this.#beside = beside
    this.#ahead = ahead
    this.db = openDb(":memory:")
    this.strategy = this.#strategy()
  }

  /** Tended once. */
  static async of(ahead: number): Promise<PoolBench> {
    const bench = new PoolBench(ahead)
    bench.tend()
    await bench.tended()
    return bench
  }

  configure(ahead: number): void {
    this.#ahead = ahead
  }

  /** As the next process would. */
  restart(): void {
    this.strategy = this.#strategy()
  }

  tend(): void {
    this.strategy.tendPools()
  }

  async tended(): Promise<void> {
    await this.strategy.poolsTended()
  }

  /** Sets a workspace up for the task, which is added where there is none, and records it. */
  async setUp(id: number, changes: Partial<WorkspaceRequest> = {}): Promise<BranchWorkspace> {
    const task = this.addTask(id)
    const findBegun = () => findTask(this.db, task)?.repos[0]?.made ?? undefined
    const recordBranch = (branch: MadeBranch) =>
      recordMade(this.db, { task, name: NAME, ...branch })
    const ours = { task, pooled: true, findBegun, recordBranch }
    const request = workspaceRequest(this.repo, { ...ours, ...changes })
    const workspace = await this.strategy.setup(request)
    recordWorkspace(this.db, { task, name: NAME, ...workspace })
    await this.strategy.leavePool({ task, ...workspace })
    return workspace
  }

  /** As after a landing: everything of the task's branch is contained somewhere. */
  async tearDown(id: number, workspace: BranchWorkspace): Promise<void> {
    const tip = this.repo.tip(workspace.branch)
    const torn = await this.strategy.teardown({
      ...removal(this.repo, workspace, [tip]),
      task: id as TaskId,
    })
    if (torn.worktree === "kept") throw new Error(torn.notices.join())
    recordRemoved(this.db, { task: id as TaskId, name: NAME }, torn.branch)
  }

  /** Cancels the task, by force. */
  end(id: number): void {
    forceState(this.db, id as TaskId, "cancelled")
  }

  entries(): PoolEntry[] {
    return listPool(this.db)
  }

  states(): Record<string, string> {
    return Object.fromEntries(this.entries().map(({ path, state }) => [basename(path), state]))
  }

  /** Rescue refs that events tell of. */
  rescued(): string[] {
    const events = listEvents(this.db, { after: 0, limit: 100 })
    return events.flatMap(({ type, data }) => (type === "rescue.made" ? [String(data["ref"])] : []))
  }

  worktreeOf(id: number): string | null | undefined {
    return findTask(this.db, id as TaskId)?.repos[0]?.worktree
  }

  inode(path: string): number {
    return statSync(path).ino
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.strategy.settled()
    this.db.close()
    if (!this.#beside) this.repo[Symbol.dispose]()
  }

  /** @returns the task of this id, which is added where there is none. */
  addTask(id: number): TaskId {
    while (!findTask(this.db, id as TaskId)) addSampleTask(this.db)
    return id as TaskId
  }

  #strategy(): GitWorktreeStrategy {
    const { db, repo } = this
    const folder = join(repo.folder, "repo.worktrees")
    const place = { repo: repo.path, folder, target: "main", setup: undefined, env: {} }
    const onError = (error: unknown) => this.onError(error)
    const home = this.#beside ? "/home/beside" : "/home/of/this/test"
    return new GitWorktreeStrategy({
      db,
      home,
      pool: poolOf({
        home,
        db,
        nowMs: Date.now,
        onError,
        listPlaces: async () => (this.#ahead > 0 ? [{ ...place, ahead: this.#ahead }] : []),
        setUp: (made) => this.setUpAhead(made),
      }),
    })
  }
}
