/**
 * Finds what the user's checkout has and a task's worktree lacks because git ignores it: `.env`,
 * `node_modules`. Looked for in the root alone, which costs the same in a repository of any size.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../core/ids.ts"
import { type Missing, type MissingEntry, PATHS_MAX } from "../../core/workspace-report.ts"
import { displayPath } from "../../git/path.ts"
import { listIgnoredOf } from "../../git/repository/check-ignore.ts"

/** More names than a root has that anybody looks at. */
const NAMES_MAX = 1000
/** What set-ups make. */
const MADE: ReadonlySet<string> = new Set([
  ...["node_modules", "bower_components", ".venv", "venv", "vendor", ".bundle", "Pods", "deps"],
  ...[".yarn", ".pnpm-store", "__pypackages__", "elm-stuff"],
])
/** What builds, tests and editors make, and nobody misses. */
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
 * @param isOurs whether an entry of it, absolute, is none of the user's files.
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
