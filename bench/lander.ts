/**
 * Lands one task after another with the landing loop's own steps, when its parent says so.
 *
 * A process of its own, with a heap like the daemon's: what starting git costs depends on it.
 */
import { defaultConfig } from "../src/core/config/parse.ts"
import type { LandingContext } from "../src/landing/action.ts"
import { tickLanding } from "../src/landing/tick.ts"
import { ProcessOwner } from "../src/process/owner.ts"
import { findLanding } from "../src/store/landings/find.ts"
import { openDb } from "../src/store/open.ts"
import { GitWorktreeStrategy } from "../src/workspaces/git-worktree.ts"
import { TaskLock } from "../src/workspaces/task-lock.ts"
import { addClaimedLanding, type Work } from "./task-rows.ts"

const { agents, repos } = defaultConfig("repo")
const db = openDb(process.argv[2]!)
const workspaces = new GitWorktreeStrategy({ home: "bench" })
const context: LandingContext = {
  db,
  world: { nowMs: Date.now, dice: Math.random, point: () => {} },
  owner: new ProcessOwner({ mark: "bench" }),
  workspaces,
  disposables: workspaces,
  taskLock: new TaskLock(),
  agentConfig: () => agents[0]!,
  // What a gate costs is its command's affair.
  repoConfig: () => ({ ...repos[0]!, gate: false }),
  environment: () => ({}),
  onBug: (error) => {
    throw error
  },
}

process.on("message", async (work: Work) => {
  db.exec("delete from tasks") // the one before would be ahead in the queue
  const id = addClaimedLanding(db, work)
  const startMs = performance.now()
  while (findLanding(db, id)?.state !== "cleaning") {
    const moved = await tickLanding(context, id, new AbortController().signal)
    if (!moved) throw new Error(`the landing rests in ${findLanding(db, id)?.state}`)
  }
  process.send?.(performance.now() - startMs)
})
