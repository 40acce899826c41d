/**
 * Finds the git hooks of a repository that `landing.hooks` asks for, and whether a person approved them.
 *
 * An agent can write into `.git/hooks`. So the record of approvals holds the very text of each hook, and
 * that one runs, whatever the file says later (docs/adr/0105).
 */
import { realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Config, RepoConfig } from "../core/config.ts"
import { GIT_HOOKS, type GitHook, type GitHooks } from "../core/git-hooks.ts"
import { fs } from "./builtins.ts"
import { readConfigText } from "./config-text.ts"
import { lookUpRepository } from "./repository.ts"

/** The approved ones, by the path of the repository as configured. */
export type ApprovedHooks = Readonly<Record<string, GitHooks>>

type HookToApprove = {
  readonly repo: RepoConfig
  readonly name: GitHook
  /** Undefined: there is no such hook, or git would not run it. */
  readonly found: string | undefined
  readonly approved: string | undefined
}

/** The hooks that an agent's `landing.hooks` names. @throws ConfigError for one that is no small file. */
export function listHooks(home: string, config: Config, approved: ApprovedHooks = {}) {
  const asked = config.agents.flatMap(({ landing }) => landing.hooks)
  return config.repos.flatMap((repo) =>
    GIT_HOOKS.filter((name) => asked.includes(name)).flatMap((name): HookToApprove[] => {
      const known = approved[repo.path]?.[name]
      const found = readHook(resolve(home, repo.path), name)
      return found === undefined && known === undefined
        ? []
        : [{ repo, name, found, approved: known }]
    }),
  )
}

/** Git runs a hook only if it is executable. */
function readHook(path: string, name: GitHook): string | undefined {
  if (!fs.existsSync(path)) return undefined
  const gitDir = lookUpRepository(realpathSync(path))?.gitDir
  if (gitDir === undefined) return undefined
  const file = join(gitDir, "hooks", name)
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & 0o100) === 0 ? undefined : (readConfigText(file) ?? undefined)
}

/** The configuration with the approved hooks. */
export function withApprovedHooks(config: Config, approved: ApprovedHooks = {}): Config {
  const repos = config.repos.map((repo) => ({ ...repo, hooks: approved[repo.path] ?? {} }))
  return { ...config, repos }
}
