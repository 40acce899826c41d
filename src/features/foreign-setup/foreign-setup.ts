/**
 * Finds the set-up that a repository configures for another tool, and whether a person approved it.
 *
 * The file is the repository's, so its command runs only as approved: the record holds the very
 * command, and that one runs, whatever the file says later (docs/adr/0060).
 */
import { join, resolve } from "node:path"
import { readConfigInside } from "../../api/client/config/config-text.ts"
import { AppError } from "../../base/errors.ts"
import type { FileText } from "../../base/text/file-text.ts"
import type { Config, RepoConfig } from "../../config/config.ts"
import { ConfigError } from "../../config/errors.ts"
import { SETUP_FILES } from "./rules.ts"

/** `source`: the file, relative to the repository. */
export type ForeignSetup = { readonly source: string; readonly command: string }

/** The approved ones, by the path of the repository as configured. */
export type ForeignSetups = Readonly<Record<string, ForeignSetup>>

/** A file in which another tool configures its worktrees cannot be used. */
class ForeignSetupError extends AppError {
  constructor(path: string, fault: string) {
    const message = `${path} ${fault}, so the set-up that it names is not known.`
    super("setup.unreadable", "user", message, {
      hints: ["Correct it, or set `repos.<name>.setup` in coppice.yml: then only that counts."],
    })
  }
}

/** @param repo the folder of the repository. @throws ForeignSetupError */
export function findForeignSetup(repo: string): ForeignSetup | undefined {
  for (const { path: source, read } of SETUP_FILES) {
    const text = readForeign(repo, source)
    if (text === null) continue
    const setup = read(text)
    if (setup.kind === "broken") throw new ForeignSetupError(join(repo, source), setup.fault)
    if (setup.kind === "found") return { source, command: setup.command }
  }
  return undefined
}

/** @throws ForeignSetupError */
export function readForeign(repo: string, source: string): FileText | null {
  try {
    return readConfigInside(repo, source)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fault = error.problems[0]?.message ?? "cannot be read"
    throw new ForeignSetupError(join(repo, source), fault)
  }
}

type Pending = {
  readonly repo: RepoConfig
  readonly found: ForeignSetup | undefined
  readonly approved: ForeignSetup | undefined
}

/** Set-ups of repositories whose coppice.yml has none; {@link isPending} tells which to approve. */
export function listForeignSetups(
  home: string,
  { repos }: Pick<Config, "repos">,
  approved: ForeignSetups = {},
): Pending[] {
  return repos.flatMap((repo) => {
    if (repo.setup !== undefined) return []
    const found = findForeignSetup(resolve(home, repo.path))
    const one = { repo, found, approved: approved[repo.path] }
    return found || one.approved ? [one] : []
  })
}

export const isPending = ({ found, approved }: Pending): boolean =>
  found?.command !== approved?.command

/** The configuration with the approved set-ups in force. */
export function withForeignSetups(config: Config, approved: ForeignSetups = {}): Config {
  const repos = config.repos.map((repo) => {
    const { command, source } = approved[repo.path] ?? {}
    const isUnset = repo.setup === undefined && command !== undefined
    return isUnset ? { ...repo, setup: command, setupFrom: source } : repo
  })
  return { ...config, repos }
}
