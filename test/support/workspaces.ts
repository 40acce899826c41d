/** Requests for workspaces in a {@link TestRepo}, as the daemon would make them. */
import type { Oid, TaskId } from "../../src/base/ids.ts"
import { type Db, openDb } from "../../src/kernel/store/open.ts"
import { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import type {
  BranchWorkspace,
  Workspace,
  WorkspaceRequest,
  WorkspaceToRemove,
} from "../../src/kernel/workspaces/workspace.ts"
import type { TestRepo } from "./repo.ts"

const stores = new Map<string, Db>()

/** The records of a home, for as long as this process lasts. */
export function storeOf(home: string): Db {
  const db = stores.get(home) ?? openDb(":memory:")
  stores.set(home, db)
  return db
}

/** A strategy of a home: another one of the same home knows its worktrees. */
export function strategyOf(
  home: string,
  options: { readonly lockedMsMax?: number } = {},
): GitWorktreeStrategy {
  return new GitWorktreeStrategy({ home, db: storeOf(home), ...options })
}

/** A request of task 7, "Fix the typo", of agent coder, unless told otherwise. */
export function workspaceRequest(
  repo: Pick<TestRepo, "path">,
  changes: Partial<WorkspaceRequest> = {},
): WorkspaceRequest {
  return {
    task: 7 as TaskId,
    title: "Fix the typo",
    workItem: null,
    agent: "coder",
    job: 1,
    nowMs: Date.UTC(2024, 0, 2),
    repo: repo.path,
    repoName: "repo",
    target: "main",
    worktreeDir: "../<repo>.worktrees",
    branchPattern: "agent/{agent}/{workItem}",
    fetch: false,
    copy: [],
    link: [],
    isContained: false,
    pooled: false,
    recordBranch: () => {},
    findBegun: () => undefined,
    earlier: undefined,
    signal: new AbortController().signal,
    ...changes,
  }
}

/** The input of a later set-up of the same task. */
export function recorded({ branch, worktree, base }: BranchWorkspace): WorkspaceRequest["earlier"] {
  return { branch, worktree, base }
}

/** The removal of a workspace of task 7. */
export function removal(
  repo: Pick<TestRepo, "path">,
  { worktree, branch, placed }: Workspace,
  safeCommits: readonly Oid[],
): WorkspaceToRemove & { readonly task: TaskId } {
  const task = 7 as TaskId
  const reason = "it landed"
  return { task, repo: repo.path, worktree, branch, placed, safeCommits, reason, before: undefined }
}
