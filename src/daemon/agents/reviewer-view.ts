/**
 * The view of a reviewer whose settings name no containment. It sees the machine as its user does, but
 * the home's repositories and their worktrees read-only, and nothing of Coppice's own.
 */
import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { stateRoot } from "../../client/state-dir.ts"
import type { AgentConfig } from "../../core/config.ts"
import type { TaskId } from "../../core/ids.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { commonDirOf } from "../../git/start/git-dir.ts"
import { probeSandbox } from "../../process/probe-sandbox.ts"
import type { ReadOnlyView } from "../../process/read-only-view.ts"
import { filesOf } from "./agent-folders.ts"

/** Services of the user's session start programs outside of any fence. */
const SESSIONS = "/run/user"

type Of = {
  readonly task: TaskId
  readonly home: string
  readonly stateDir: string
  /** The main worktrees of the home's repositories. */
  readonly repos: readonly string[]
}

export async function reviewerView({ task, home, stateDir, repos }: Of): Promise<ReadOnlyView> {
  const found = await Promise.all(repos.filter((path) => existsSync(path)).map(foldersOf))
  const sessions = existsSync(SESSIONS) ? readdirSync(SESSIONS) : []
  return {
    locked: [...new Set([home, ...found.flat()])],
    hidden: [
      ...new Set([stateRoot(process.env), stateRoot({ HOME: homedir() }), stateDir]),
      ...sessions.map((name) => join(SESSIONS, name)),
    ],
    readable: [filesOf(stateDir, task), join(stateDir, "bin")],
    writable: [join(stateDir, "agents", String(task))],
  }
}

async function foldersOf(repo: string): Promise<string[]> {
  const worktrees = await listWorktrees(repo)
  return [commonDirOf(await gitDir(repo)), ...worktrees.map(({ path }) => path)]
}

/** @returns why this agent would review with the user's rights although that was not chosen; undefined: it would not. */
export async function findOpenReason(
  agent: Pick<AgentConfig, "containment"> | undefined,
): Promise<string | undefined> {
  return agent?.containment.isDefault ? await probeSandbox(process.env["PATH"]) : undefined
}
