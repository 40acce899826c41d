/**
 * Gives every task a git worktree and a branch of its own.
 *
 * What must stay true: a path or branch that is not the task's is never touched; nothing is removed
 * that is neither contained elsewhere nor saved; and a set-up that was cut off at any instant is
 * repeated with the same result. The store records a worktree only when it is complete.
 */
import { deleteTrash, listTrash } from "../git/trash.ts"
import type { WorktreeContext } from "./git-worktree/context.ts"
import { setUpWorktree } from "./git-worktree/setup.ts"
import { tearDownWorktree } from "./git-worktree/teardown.ts"
import type {
  TornDown,
  Workspace,
  WorkspaceRequest,
  WorkspaceStrategy,
  WorkspaceToRemove,
} from "./workspace.ts"
import { worktreesFolder } from "./worktrees-folder.ts"

export class GitWorktreeStrategy implements WorkspaceStrategy {
  readonly name = "git_worktree"
  readonly #context: WorktreeContext
  readonly #background = new Set<Promise<unknown>>()
  readonly #swept = new Set<string>()

  /** @param home names the home, for good: its worktrees are recognised by it. */
  constructor({ home }: { readonly home: string }) {
    this.#context = { home, inBackground: (work) => this.#track(work) }
  }

  async setup(request: WorkspaceRequest): Promise<Workspace> {
    this.#sweepOnce(worktreesFolder(request))
    return await setUpWorktree(this.#context, request)
  }

  async teardown(workspace: WorkspaceToRemove): Promise<TornDown> {
    return await tearDownWorktree(this.#context, workspace)
  }

  /** Settles when the files of all removed worktrees are deleted. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background)
  }

  /** Deletes what an earlier process was still deleting when it died. */
  #sweepOnce(folder: string): void {
    if (this.#swept.has(folder)) return
    this.#swept.add(folder)
    this.#track(listTrash(folder).then((left) => Promise.all(left.map(deleteTrash))))
  }

  #track(work: Promise<unknown>): void {
    this.#background.add(work)
    void work.finally(() => this.#background.delete(work))
  }
}
