/** A home in a process of its own, as another daemon's is, that sets up and removes worktrees. */
import { join } from "node:path"
import type {
  TornDown,
  Workspace,
  WorkspaceRequest,
  WorkspaceToRemove,
} from "../../src/kernel/workspaces/workspace.ts"
import { Forked } from "./forked.ts"
import type { Order } from "./worktree-home-main.ts"

export class WorktreeHome implements AsyncDisposable {
  readonly #program: Forked

  /** @param home names it. */
  constructor(home: string) {
    this.#program = new Forked(join(import.meta.dirname, "worktree-home-main.ts"), [home])
  }

  /** All at once. Rejects when one of them does. */
  async setUp(requests: readonly WorkspaceRequest[]): Promise<Workspace[]> {
    return this.#program.ask<Workspace[]>({ setUp: requests } satisfies Order)
  }

  /** All at once. When this returns, their files are deleted too. */
  async tearDown(workspaces: readonly WorkspaceToRemove[]): Promise<TornDown[]> {
    return this.#program.ask<TornDown[]>({ tearDown: workspaces } satisfies Order)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]()
  }
}
