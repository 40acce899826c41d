import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { forceState } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { defaultConfig } from "../../config/parse.ts"
import { StaticStrategy } from "../../features/static/strategy.ts"
import { ProcessOwner } from "../process/owner.ts"
import { openDb } from "../store/open.ts"
import { GitWorktreeStrategy } from "../workspaces/git-worktree.ts"
import { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { WorktreeLease } from "../workspaces/locks/worktree-lock.ts"
import { type Preparing, prepareWorkspace } from "./prepare-workspace.ts"
import { addTask } from "./rows/add.ts"
import { findTask } from "./rows/find.ts"
import { startJob } from "./rows/jobs/record.ts"

/** A task in a repository of its own, with a set-up command. */
class SetUpTask implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly db = openDb(":memory:")
  readonly taskLock = new TaskLock()
  readonly owner = new ProcessOwner({ mark: `with-shared-worktrees-${process.pid}` })
  readonly id = addTask(
    this.db,
    {
      title: "Fix the typo",
      prompt: "Fix it.",
      agent: "claude",
      workItem: null,
      land: "merge",
      repos: [{ name: "app", path: this.repo.path, target: "main" }],
    },
    1000,
  ).id

  constructor() {
    startJob(this.db, this.id, 1000)
    forceState(this.db, this.id, "working")
  }

  async prepare(check: string): Promise<void> {
    const [repo] = defaultConfig("app").repos
    const { db, owner, taskLock } = this
    const context: Preparing = {
      db,
      owner,
      taskLock,
      home: this.repo.folder,
      world: { nowMs: () => 2000, dice: () => 0, point: () => {} },
      workspaces: new GitWorktreeStrategy({ home: this.repo.folder, db }),
      folders: new StaticStrategy(),
      repoConfig: () => ({ ...repo!, setup: false, check, ports: 0 }),
      agentConfig: () => defaultConfig("app").agents[0]!,
      environment: () => ({ PATH: process.env["PATH"] ?? "", HOME: this.repo.folder }),
    }
    await prepareWorkspace(context, this.id, new AbortController().signal)
  }

  /** As a landing locks them. */
  async own(timeoutMs: number): Promise<WorktreeLease | undefined> {
    const { signal } = new AbortController()
    return await this.taskLock.worktrees.own([this.worktree], { task: this.id, timeoutMs, signal })
  }

  get worktree(): string {
    return findTask(this.db, this.id)?.repos[0]?.worktree ?? ""
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owner[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("a worktree is not set up while a landing has it locked, and is not locked during set-up [6.1]", async () => {
  await using it = new SetUpTask()
  const go = join(it.repo.folder, "go")
  const preparing = it.prepare(`touch "$HOME/begun"; while ! [ -e "${go}" ]; do sleep 0.02; done`)
  await waitFor("the check", () => existsSync(join(it.repo.folder, "begun")))
  expect(await it.own(1)).toBeUndefined()
  writeFileSync(go, "")
  await preparing

  const lease = await it.own(1)
  const again = it.prepare("true")
  await waitFor("it to wait", () => it.taskLock.worktrees.findWait(it.id))
  lease?.release()
  await again
})
