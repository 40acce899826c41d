/**
 * Finds files in the user's checkout that a task's worktree lacks because git ignores them: `.env`,
 * `node_modules`. Only the root is searched, so the cost does not depend on the repository's size.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { listIgnoredOf } from "../../git/ask/check-ignore.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { LEFT_BY_SETUP } from "../rules/ecosystems/ecosystems.ts"
import { type Missing, type MissingEntry, PATHS_MAX } from "../rules/workspace-report.ts"

/** More names than any root that a person reads. */
const NAMES_MAX = 1000
/** Made by set-ups; `vendor` and `deps` may hold work too. */
const MADE: ReadonlySet<string> = new Set([
  ...LEFT_BY_SETUP,
  ...["bower_components", "venv", "vendor", "Pods", "deps", ".yarn", "__pypackages__", "elm-stuff"],
])
/** Made by builds, tests and editors; not missed. */
const OUTPUTS: ReadonlySet<string> = new Set([
  ...["dist", "build", "_build", "out", "target", "bin", "obj", "coverage", "htmlcov", "tmp"],
  ...["log", "logs", "__pycache__", ".next", ".nuxt", ".output", ".svelte-kit", ".turbo", ".vite"],
  ...[".cache", ".parcel-cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox"],
  ...[".nyc_output", ".gradle", ".eslintcache", ".coverage", ".idea", ".vscode", ".DS_Store"],
  ...[".terraform", ".direnv", ".hypothesis", "Thumbs.db", ".worktrees"],
])
const OUTPUT = /\.(log|pyc|tsbuildinfo|swp|tmp|egg-info)$/

/**
 * @param main the main worktree.
 * @param isOurs whether an absolute path in it is Coppice's and not the user's.
 */
export async function findMissing(
  main: string,
  worktree: string,
  isOurs: (path: string) => boolean,
): Promise<Missing> {
  const here = new Set(await readdir(worktree, "latin1"))
  const entries = await readdir(main, { withFileTypes: true, encoding: "latin1" })
  const names = entries
    .filter(({ name }) => name !== ".git" && !here.has(name) && !isOurs(join(main, name)))
    .slice(0, NAMES_MAX)
    .map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}` as GitPath)
  const ignored = (await listIgnoredOf(main, names)).map((name) => name.replace(/\/$/, ""))
  const wanted = ignored.filter((name) => !isOutput(name)).map(entryOf)
  return {
    wanted: wanted.slice(0, PATHS_MAX),
    moreCount: Math.max(0, wanted.length - PATHS_MAX),
    outputCount: ignored.filter(isOutput).length,
  }
}

const isOutput = (name: string) => OUTPUTS.has(name) || OUTPUT.test(name)

function entryOf(name: string): MissingEntry {
  return { path: displayPath(name as GitPath), by: MADE.has(name) ? "setup" : "copy" }
}
