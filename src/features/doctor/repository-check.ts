/** Checks that git accepts the repositories of a home, and that they are not empty. */
import { accessSync, constants, existsSync, realpathSync, statfsSync } from "node:fs"
import { join, resolve } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import type { Home } from "../../api/client/home.ts"
import { lookUpRepository } from "../../api/client/repository.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { describeFull } from "../../base/text/sizes.ts"
import type { Config } from "../../config/config.ts"
import { demandOwnFolder } from "../../kernel/workspaces/git-worktree/made-folder.ts"
import { type WorktreesPlace, worktreesFolder } from "../../kernel/workspaces/worktrees-folder.ts"
import { attempt, type Check, failedCheck, passedCheck } from "./doctor-check.ts"

/** One check for each configured repository; skips those that will be cloned. */
export async function checkRepositories(
  { home }: Home,
  { repos, agents }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check[]> {
  const paths = repos.map(({ name, path, clone }) => ({ name, path: resolve(home, path), clone }))
  const present = paths.filter(({ path, clone }) => clone === undefined || existsSync(path))
  const folders = new Set(agents.map(({ workspace }) => workspace.worktreeDir))
  const shared = present.flatMap(({ name, path }) => {
    if (!existsSync(path)) return []
    const place = { repo: realpathSync(path), repoName: name }
    return [...folders].flatMap((worktreeDir) => checkWorktrees({ ...place, worktreeDir }))
  })
  const checks = await Promise.all(present.map(({ path }) => checkRepository(path, env)))
  return [...checks, ...shared]
}

/** Work is refused while another user may write where its worktrees would be. */
function checkWorktrees(place: WorktreesPlace): Check[] {
  const own = attempt(() => demandOwnFolder(worktreesFolder(place), place.repo))
  return "failed" in own ? [failedCheck("worktrees", own.failed, own.hint)] : []
}

async function checkRepository(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check> {
  const command = ["git", "-C", path, "for-each-ref", "--count=1", "refs/heads", "refs/remotes"]
  const answer = await askProgram(command, { ...env, LC_ALL: "C" })
  if ("refused" in answer) {
    const [first = ""] = answer.refused.split("\n")
    const hint = answer.isSilent
      ? `Look what it waits for: \`${command.map(shellWord).join(" ")}\`.`
      : `One of another user that you trust: \`git config --global --add safe.directory ${shellWord(path)}\`.`
    return failedCheck("repo", `git does not use ${path}: ${first}`, hint)
  }
  const trouble = findTrouble(path)
  if (trouble)
    return failedCheck("repo", trouble, "Make room, or put the folder's mode or mount right.")
  const bare = await findCalledBare(path, env)
  if (bare) return bare
  if (answer.said !== "") return passedCheck("repo", path)
  const hint = "Make a first commit: `git add --all && git commit -m first`."
  return failedCheck("repo", `${path} has no commits yet`, hint)
}

/** Git calls it bare, but a checkout is here: so nothing lands on the branch of that. */
async function findCalledBare(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check | undefined> {
  const { root, gitDir } = lookUpRepository(realpathSync(path)) ?? {}
  if (root === undefined || gitDir === undefined || !existsSync(join(gitDir, "index"))) return
  const ask = (...args: string[]) => askProgram(["git", "--git-dir", gitDir, ...args], env)
  const bare = await ask("rev-parse", "--is-bare-repository")
  if (!("said" in bare) || bare.said !== "true") return
  const tracked = await ask("ls-tree", "-z", "--name-only", "HEAD")
  const names = "said" in tracked ? tracked.said.split("\0").filter(Boolean) : []
  if (!names.some((name) => existsSync(join(root, name)))) return
  const text = `core.bare is set, so git leaves the files of ${root} behind when its branch moves; such a landing waits`
  const origin = await ask("config", "--show-origin", "--null", "--get", "core.bare")
  const file = "said" in origin ? origin.said.split("\0")[0]?.replace(/^file:/, "") : undefined
  const unset = [
    "git",
    "config",
    "--file",
    file ?? join(gitDir, "config"),
    "--unset-all",
    "core.bare",
  ]
  return failedCheck("repo", text, `Remove it: \`${unset.map(shellWord).join(" ")}\`.`)
}

/** Work needs a repository that can be written; the folder around it, only if worktrees are there. */
function findTrouble(path: string): string | undefined {
  for (const folder of [path, join(path, "..")])
    try {
      // First: a read-only image has no free blocks either.
      accessSync(folder, constants.W_OK | constants.X_OK)
      const full = describeFull(folder, statfsSync(folder))
      if (full) return full
    } catch (error) {
      if (folder !== path) return undefined
      return `${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`
    }
  return undefined
}
