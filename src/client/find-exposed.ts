/** Finds files that `copy` and `link` would place in a worktree and git does not ignore. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Config } from "../core/config.ts"
import { describePaths } from "../core/group-paths.ts"
import { askProgram } from "./ask-program.ts"
import type { Home } from "./home.ts"

/** A file monitor is a program that the repository may name. */
const LIST = ["-c", "core.fsmonitor=false", "ls-files", "--others", "--exclude-standard", "-z"]

/** @returns one warning for each repository that has such files. */
export async function findExposed(
  { home }: Pick<Home, "home">,
  { repos }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const warnings = repos.map(async ({ name, path, copy, link }) => {
    const patterns = [...copy, ...link].map((one) => `:(top,glob)${one.replace(/\/+$/, "")}`)
    const root = resolve(home, path)
    if (patterns.length === 0 || !existsSync(root)) return []
    const answer = await askProgram(["git", "-C", root, ...LIST, "--", ...patterns], env)
    const files = "said" in answer ? answer.said.split("\0").filter(Boolean) : []
    return files.length === 0 ? [] : [warning(name, files)]
  })
  return (await Promise.all(warnings)).flat()
}

const warning = (name: string, files: readonly string[]): string =>
  `repos.${name}: git does not ignore ${describePaths(files)}, which \`copy\` or \`link\` places. ` +
  "An agent's `git add -A` commits that, and Coppice refuses to land it: add it to .gitignore."
