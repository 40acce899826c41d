/**
 * The view of a reviewer whose settings name no containment. It sees the machine as its user does, but
 * the home's repositories and their worktrees read-only, and nothing of Coppice's own.
 *
 * A folder that holds the user's HOME stays writable, unless it is a worktree itself: programs keep
 * their logins there.
 */
import { existsSync, readdirSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { CONFIG_FILE } from "../../api/client/home.ts"
import { stateRoot } from "../../api/client/state-dir.ts"
import type { TaskId } from "../../base/ids.ts"
import type { AgentConfig } from "../../config/config.ts"
import { gitDir } from "../../kernel/git/ask/rev-parse.ts"
import { listWorktrees } from "../../kernel/git/ask/worktree-list.ts"
import { commonDirOf } from "../../kernel/git/start/git-dir.ts"
import { realPath } from "../../kernel/process/fence.ts"
import { filesOf } from "../../kernel/tasks/agent-folders.ts"
import { probeSandbox } from "../containment/probe-sandbox.ts"
import type { ReadOnlyView } from "../containment/read-only-view.ts"

/** Services of the user's session start programs outside of any fence. */
const SESSIONS = "/run/user"

type Of = {
  readonly task: TaskId
  readonly home: string
  readonly stateDir: string
  /** The main worktrees of the home's repositories. */
  readonly repos: readonly string[]
  /** Worktrees of Coppice in a repository. More appear in their folders during the review. */
  worktreesOf(repo: string): readonly string[]
}

export async function reviewerView(of: Of): Promise<ReadOnlyView> {
  const { task, home, stateDir, repos, worktreesOf } = of
  const found = await Promise.all(repos.filter((path) => existsSync(path)).map(foldersOf))
  const around = [home, ...repos.flatMap(worktreesOf).map((path) => dirname(path))]
  const sessions = existsSync(SESSIONS) ? readdirSync(SESSIONS) : []
  return {
    locked: [...new Set([...around.filter(isApart), join(home, CONFIG_FILE), ...found.flat()])],
    hidden: [
      ...new Set([stateRoot(process.env), stateRoot({ HOME: homedir() }), stateDir]),
      ...sessions.map((name) => join(SESSIONS, name)),
    ],
    readable: [filesOf(stateDir, task), join(stateDir, "bin")],
    writable: [join(stateDir, "agents", String(task))],
  }
}

/** Whether a program can do without writing there: it holds no HOME and is not the one for temporary files. */
const isApart = (folder: string): boolean =>
  folder !== tmpdir() && !`${realPath(homedir()) ?? homedir()}/`.startsWith(`${folder}/`)

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
