/** The context of a bench's landing loop: the real parts of landing, without a gate. */

import type { World } from "../src/base/world.ts"
import { defaultConfig } from "../src/config/parse.ts"
import type { LandingContext } from "../src/kernel/landing/action.ts"
import { ProcessOwner } from "../src/kernel/process/owner.ts"
import type { Db } from "../src/kernel/store/open.ts"
import { Waits } from "../src/kernel/waits/waits.ts"
import { GitWorktreeStrategy } from "../src/kernel/workspaces/git-worktree.ts"
import { TaskLock } from "../src/kernel/workspaces/locks/task-lock.ts"

const HOME = "bench"

export function landingContext(db: Db, point: World["point"] = () => {}): LandingContext {
  const { agents, repos } = defaultConfig("repo")
  const workspaces = new GitWorktreeStrategy({ home: HOME, db })
  return {
    db,
    home: HOME,
    world: { nowMs: Date.now, dice: Math.random, point },
    owner: new ProcessOwner({ mark: "bench" }),
    workspaces,
    disposables: workspaces,
    taskLock: new TaskLock(),
    waits: new Waits(),
    agentConfig: () => agents[0]!,
    // The cost of a gate is that of its command.
    repoConfig: () => ({ ...repos[0]!, gate: false }),
    environment: () => ({}),
    forgeOf: () => {
      throw new Error("nothing is shipped here")
    },
    onBug: (error) => {
      throw error
    },
  }
}
