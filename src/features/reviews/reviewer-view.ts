/**
 * The view of a reviewer whose settings name no containment. It sees the machine as its user does, but
 * read-only, and nothing of Coppice's own. Of HOME it changes the login of its program (login-files.ts).
 *
 * The home's repositories and their worktrees are named too, since they may lie beside temporary files.
 */
import { existsSync, readdirSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { delimiter, dirname, isAbsolute, join } from "node:path"
import { CONFIG_FILE } from "../../api/client/home.ts"
import { stateRoot } from "../../api/client/state-dir.ts"
import type { TaskId } from "../../base/ids.ts"
import type { AgentConfig } from "../../config/config.ts"
import type { RuntimeName } from "../../config/runtimes.ts"
import { gitDir } from "../../kernel/git/ask/rev-parse.ts"
import { listWorktrees } from "../../kernel/git/ask/worktree-list.ts"
import { commonDirOf } from "../../kernel/git/start/git-dir.ts"
import { realPath } from "../../kernel/process/fence.ts"
import { filesOf } from "../../kernel/tasks/agent-folders.ts"
import { probeSandbox } from "../containment/probe-sandbox.ts"
import type { ReadOnlyView } from "../containment/read-only-view.ts"
import { listLogins, listObeyed } from "./login-files.ts"

/** Services of the user's session start programs outside of any fence. */
const SESSIONS = "/run/user"

type Of = {
  readonly task: TaskId
  readonly home: string
  readonly stateDir: string
  /** The variables of its program. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly runtime: RuntimeName
  /** The main worktrees of the home's repositories. */
  readonly repos: readonly string[]
  /** Worktrees of Coppice in a repository. More appear in their folders during the review. */
  worktreesOf(repo: string): readonly string[]
}

export async function reviewerView(of: Of): Promise<ReadOnlyView> {
  const { task, home, stateDir, repos, worktreesOf, env } = of
  const found = await Promise.all(repos.filter((path) => existsSync(path)).map(foldersOf))
  const around = [home, ...repos.flatMap(worktreesOf).map((path) => dirname(path))]
  const sessions = existsSync(SESSIONS) ? readdirSync(SESSIONS) : []
  const ofHome = { ...env, HOME: env["HOME"] ?? homedir() }
  const homes = [homedir(), ofHome.HOME]
  return {
    homes,
    kept: listLogins(of.runtime, ofHome),
    locked: [
      ...new Set([
        ...[...around, ...obeyedFolders()].filter(isApart),
        join(home, CONFIG_FILE),
        ...found.flat(),
        ...listObeyed(ofHome),
      ]),
    ],
    hidden: [
      ...new Set([stateRoot(process.env), stateRoot({ HOME: homedir() }), stateDir]),
      ...sessions.map((name) => join(SESSIONS, name)),
    ],
    readable: [filesOf(stateDir, task), join(stateDir, "bin")],
    writable: [join(stateDir, "agents", String(task))],
  }
}

/** Variables that name a file or folder of settings. They may lie beside temporary files. */
const SETTINGS = ["GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME", "ZDOTDIR", "BASH_ENV", "ENV"]

/** Folders with programs and settings that the daemon's own programs obey. */
function obeyedFolders(): string[] {
  const named = SETTINGS.flatMap((name) => process.env[name] ?? [])
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...named, ...named.map(dirname)]
  return folders.filter((path) => isAbsolute(path) && path !== "/" && existsSync(path))
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
