/** Reads which programs a repository's own git configuration names, apart from the user's, and its hooks' folder. */

import { resolve } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import { fs } from "../../api/client/node-builtins.ts"
import { lookUpRepository } from "../../api/client/repository.ts"
import { AppError } from "../../base/errors.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import type { Env } from "../../config/substitute.ts"
import { LIST_CONFIG, parseConfigList } from "../../kernel/git/start/config-cache.ts"
import { listReaching } from "../../kernel/git/start/file-programs.ts"
import {
  hasToolsSettings,
  listGitPrograms,
  SECTIONS_OF_GIT,
} from "../../kernel/git/start/program-settings.ts"
import type { GitProgram } from "../../kernel/git/start/program-text.ts"

export type GitPrograms = {
  /** The common git directory: it identifies the repository in the record of approvals. */
  readonly gitDir: string
  readonly programs: readonly GitProgram[]
  /** Also the user's: those that do not count in a home with a contained agent. */
  readonly reaching: readonly GitProgram[]
}

/** Git cannot read a repository's configuration, so it cannot be approved. */
class GitConfigError extends AppError {
  constructor(gitDir: string, refused: string) {
    const message = `The git configuration of ${gitDir} cannot be read: ${refused}`
    super("git.config_unreadable", "world", message, {
      hints: [`\`git --git-dir ${shellWord(gitDir)} config --list --show-scope\` shows it.`],
    })
  }
}

/** @param path the repository, or a folder in it. */
export const findCommonDir = (path: string): string | undefined =>
  lookUpRepository(fs.realpathSync(path))?.gitDir

/** @param path the repository, or a folder in it. @throws GitConfigError */
export async function readGitPrograms(path: string, env: Env): Promise<GitPrograms | undefined> {
  const gitDir = findCommonDir(path)
  if (gitDir === undefined) return undefined
  const ask = async (...command: readonly string[]) => {
    const answer = await askProgram(["git", ...command], withoutGit(env), undefined, "latin1")
    if ("refused" in answer) throw new GitConfigError(gitDir, answer.refused)
    return answer.said
  }
  const listed = await ask("--git-dir", gitDir, ...LIST_CONFIG)
  const entries = parseConfigList(listed, { cwd: gitDir, env })
  const sections = hasToolsSettings(entries) ? await ask(...SECTIONS_OF_GIT) : ""
  return { gitDir, programs: listGitPrograms(entries, sections), reaching: listReaching(entries) }
}

/** Where git looks for hooks, by `core.hooksPath` of any configuration. @throws GitConfigError */
export async function readHooksFolder(path: string, env: Env): Promise<string | undefined> {
  const found = lookUpRepository(fs.realpathSync(path))
  if (!found) return undefined
  const command = ["git", "-C", found.root, "rev-parse", "--git-path", "hooks"]
  const answer = await askProgram(command, withoutGit(env))
  if ("refused" in answer) throw new GitConfigError(found.gitDir, answer.refused)
  return resolve(found.root, answer.said)
}

/** A caller's GIT_DIR must not lead elsewhere. */
export const withoutGit = (env: Env) => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name)),
  ),
  LC_ALL: "C",
})
