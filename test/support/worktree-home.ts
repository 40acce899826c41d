/** A home in a process of its own, as another daemon's is, that sets up and removes worktrees. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type {
  TornDown,
  Workspace,
  WorkspaceRequest,
  WorkspaceToRemove,
} from "../../src/workspaces/workspace.ts"
import type { Order } from "./worktree-home-main.ts"

export class WorktreeHome implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #died: Promise<never>

  /** @param home names it. */
  constructor(home: string) {
    this.#child = fork(join(import.meta.dirname, "worktree-home-main.ts"), [home])
    this.#died = once(this.#child, "exit").then(() => {
      throw new Error("a set-up or a removal has failed: it is told above")
    })
    this.#died.catch(() => {}) // at the end, it does
  }

  /** All at once. Rejects when one of them does. */
  async setUp(requests: readonly WorkspaceRequest[]): Promise<Workspace[]> {
    return (await this.#tell({ setUp: requests })) as Workspace[]
  }

  /** All at once. When this returns, their files are deleted too. */
  async tearDown(workspaces: readonly WorkspaceToRemove[]): Promise<TornDown[]> {
    return (await this.#tell({ tearDown: workspaces })) as TornDown[]
  }

  async #tell(order: Order): Promise<unknown> {
    this.#child.send(order)
    const [results] = await Promise.race([once(this.#child, "message"), this.#died])
    return results
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#died.catch(() => {})
  }
}
