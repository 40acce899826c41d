/** Reads which programs a repository's own git configuration names, apart from the user's. */
import { join } from "node:path"
import { AppError } from "../../core/errors.ts"
import { type GitSetting, listGitPrograms } from "../../core/git-programs.ts"
import { shellWord } from "../../core/shell-word.ts"
import { askProgram } from "../ask-program.ts"
import { fs } from "../builtins.ts"
import { lookUpRepository } from "../repository.ts"

type Env = Readonly<Record<string, string | undefined>>

export type GitPrograms = {
  /** Names the repository in the record of what is approved. */
  readonly repo: string
  readonly programs: readonly GitSetting[]
}

/** Git cannot say what a repository's configuration is, so nobody can approve it. */
class GitConfigError extends AppError {
  override readonly name = "GitConfigError"
  readonly code = "git.config_unreadable"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(repo: string, refused: string) {
    super(`The git configuration of ${repo} cannot be read: ${refused}`)
    this.hints = [`\`git -C ${shellWord(repo)} config --list --show-scope\` shows it.`]
  }
}

/** What can only stand in a configuration that names a program, or includes another file. */
const SUSPECT =
  /\[\s*(filter|merge|diff|credential|protocol|lfs|include|includeif|url|submodule)\b|sshcommand|gitproxy|alternaterefscommand|askpass|uploadpack|receivepack|vcs|::/i

/** @param path of the repository or a folder in it. @throws GitConfigError */
export async function readGitPrograms(path: string, env: Env): Promise<GitPrograms> {
  const real = fs.realpathSync(path)
  const repo = lookUpRepository(real)?.repo ?? real
  if (isHarmless(repo)) return { repo, programs: [] }
  const command = ["git", "-C", repo, "config", "--null", "--show-scope", "--includes", "--list"]
  const answer = await askProgram(command, withoutGit(env))
  if ("refused" in answer) throw new GitConfigError(repo, answer.refused)
  const fields = answer.said.split("\0")
  const own = fields.flatMap((scope, at): GitSetting[] => {
    const text = fields[at + 1]
    if (at % 2 === 1 || text === undefined || !["local", "worktree"].includes(scope)) return []
    const end = text.indexOf("\n")
    return [
      end < 0
        ? { key: text, value: "true" }
        : { key: text.slice(0, end), value: text.slice(end + 1) },
    ]
  })
  return { repo, programs: listGitPrograms(own) }
}

/** Most configurations say nothing of the kind: their text shows it, and git need not be started. */
function isHarmless(repo: string): boolean {
  const inside = join(repo, ".git")
  try {
    const gitDir = fs.statSync(inside, { throwIfNoEntry: false })?.isDirectory() ? inside : repo
    const texts = [fs.readFileSync(join(gitDir, "config"), "utf8")]
    const ofWorktree = join(gitDir, "config.worktree")
    if (fs.existsSync(ofWorktree)) texts.push(fs.readFileSync(ofWorktree, "utf8"))
    return !texts.some((text) => SUSPECT.test(text))
  } catch {
    return false
  }
}

/** A caller's GIT_DIR must not lead elsewhere. */
const withoutGit = (env: Env) => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name)),
  ),
  LC_ALL: "C",
})
