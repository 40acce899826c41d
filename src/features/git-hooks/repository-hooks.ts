/**
 * Finds the git hooks of a repository that `landing.hooks` asks for, and whether a person approved them.
 *
 * An agent can write into `.git/hooks`, or the folder of `core.hooksPath`. So the record of approvals
 * holds the very text of each hook, and that one runs, whatever the file says later (docs/adr/0105).
 */
import { join, resolve } from "node:path"
import { readConfigText } from "../../api/client/config/config-text.ts"
import { fs } from "../../api/client/node-builtins.ts"
import type { Config, RepoConfig } from "../../config/config.ts"
import { GIT_HOOKS, type GitHook, type GitHooks } from "./rules.ts"

/** The approved ones, by the path of the repository as configured. */
export type ApprovedHooks = Readonly<Record<string, GitHooks>>

type HookToApprove = {
  readonly repo: RepoConfig
  readonly name: GitHook
  /** Undefined: there is no such hook, or git would not run it. */
  readonly found: string | undefined
  readonly approved: string | undefined
}

type Asking = {
  readonly home: string
  /** Where git looks for the hooks of a repository. */
  findFolder(path: string): Promise<string | undefined>
}

/** The hooks that an agent's `landing.hooks` names. @throws ConfigError for one that is no small file. */
export async function listHooks(
  { home, findFolder }: Asking,
  config: Config,
  approved: ApprovedHooks = {},
): Promise<HookToApprove[]> {
  const asked = new Set(config.agents.flatMap(({ landing }) => landing.hooks))
  if (asked.size === 0) return []
  const ofRepo = async (repo: RepoConfig): Promise<HookToApprove[]> => {
    const path = resolve(home, repo.path)
    const folder = fs.existsSync(path) ? await findFolder(path) : undefined
    return GIT_HOOKS.filter((name) => asked.has(name)).flatMap((name) => {
      const known = approved[repo.path]?.[name]
      const found = folder === undefined ? undefined : readHook(folder, name)
      const isNamed = found !== undefined || known !== undefined
      return isNamed ? [{ repo, name, found, approved: known }] : []
    })
  }
  return (await Promise.all(config.repos.map(ofRepo))).flat()
}

/** Husky's hooks in `.husky/_` are stubs. Each runs the file of its name in `.husky`, in this way. */
const OF_HUSKY = '#!/bin/sh -e\nexport PATH="node_modules/.bin:$PATH"\n'

/** Git runs a hook only if it is executable. */
function readHook(folder: string, name: GitHook): string | undefined {
  const file = join(folder, name)
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o100) === 0) return undefined
  if (!folder.endsWith("/.husky/_")) return readConfigText(file) ?? undefined
  const text = readConfigText(join(folder, "..", name))
  return text === null ? undefined : OF_HUSKY + text
}

/** The configuration with the approved hooks. */
export function withApprovedHooks(config: Config, approved: ApprovedHooks = {}): Config {
  const repos = config.repos.map((repo) => ({ ...repo, hooks: approved[repo.path] ?? {} }))
  return { ...config, repos }
}
