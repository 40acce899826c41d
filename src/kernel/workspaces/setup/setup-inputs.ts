/**
 * Computes one hash of everything that a set-up depends on: while it is the same, the earlier
 * result is valid.
 *
 * Only the root is searched, so the cost does not depend on the repository's size: the lockfile
 * there pins the packages below it. The commits of submodules come from the index.
 */
import { createHash } from "node:crypto"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { TaskId } from "../../../base/ids.ts"
import { readGitlinks } from "../../git/ask/gitlinks.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { gateDependence } from "../../landing/rules/gate-files.ts"
import { findPlain, readLarge } from "../../process/plain-file.ts"
import { guessCommands } from "../rules/ecosystems/ecosystems.ts"
import { FILES_READ, FOLDER_READ, type Project } from "../rules/ecosystems/project.ts"

export type SetupInputs = {
  /** The command for `sh -c`; undefined if there is nothing to set up. */
  readonly command: string | undefined
  readonly hash: string
  /** The command uses the variables of its task, so it cannot run before there is one. */
  readonly isOwn: boolean
}

export type SetupFor = {
  /** As configured: undefined is the guess from the files here, false is nothing. */
  readonly setup: string | false | undefined
  /** Undefined in a worktree that is prepared before there is a task for it. */
  readonly task: TaskId | undefined
}

/** Manifests, lockfiles, and settings of package managers, runtime versions and submodules. */
const FILES = [
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"],
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", ".yarnrc", ".yarnrc.yml"],
  ...["bun.lock", "bun.lockb", "bunfig.toml", "deno.lock"],
  ...["pyproject.toml", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock"],
  ...["requirements.txt", "setup.py", "setup.cfg", "Gemfile", "Gemfile.lock"],
  ...["composer.json", "composer.lock", "mix.exs", "mix.lock", "pom.xml", "packages.lock.json"],
  ...["go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "build.gradle", "build.gradle.kts"],
  ...[".nvmrc", ".node-version", ".python-version", ".ruby-version", ".tool-versions", "mise.toml"],
  ".gitmodules",
]
/** Longer than any lockfile; a longer file counts by its length and time. */
const FILE_BYTES_MAX = 64 * 1024 * 1024
/** A set-up that uses these makes something for one task alone, such as a database. */
const OWN_VARIABLES = "COPPICE_"

/** Reads the files as they are in the worktree, committed or not. */
export async function readSetupInputs(
  worktree: string,
  { setup, task }: SetupFor,
): Promise<SetupInputs> {
  const command = (setup ?? guessCommands(await readProject(worktree)).setup) || undefined
  const hash = createHash("sha256").update(JSON.stringify(command ?? null))
  if (command === undefined) return { command, hash: hash.digest("hex"), isOwn: false }
  const named = gateDependence(command).paths.filter(isInside)
  let isOwn = command.includes(OWN_VARIABLES)
  for (const path of [...new Set([...FILES, ...named])].sort()) {
    const content = await readInput(join(worktree, path))
    if (content === undefined) continue
    hash.update(JSON.stringify([path, content.length])).update(content)
    isOwn ||= named.includes(path) && content.includes(OWN_VARIABLES)
  }
  const submodules = findGitDir(worktree) === undefined ? [] : await readGitlinks(worktree)
  if (submodules.length > 0) hash.update(JSON.stringify({ submodules }))
  if (isOwn) hash.update(JSON.stringify({ task: task ?? null }))
  return { command, hash: hash.digest("hex"), isOwn }
}

const isInside = (path: string) => !path.startsWith("/") && !path.split("/").includes("..")

/** @returns undefined if it is not a plain file: a link may lead anywhere, a pipe never ends. */
async function readInput(path: string): Promise<Buffer | undefined> {
  const found = await lstat(path).catch(() => undefined) // absent, or an impossible path
  if (!found?.isFile()) return undefined
  if (found.size > FILE_BYTES_MAX) return Buffer.from(`${found.size} ${found.mtimeMs}`)
  return await readLarge(path, { follows: false })
}

/** Reads the project whose root is the folder `root`; without a folder, the project is empty. */
export async function readProject(root: string): Promise<Project> {
  const names = await readdir(root).catch(emptyWhenAbsent)
  const below = names.includes(FOLDER_READ)
    ? await readdir(join(root, FOLDER_READ)).catch(emptyWhenAbsent)
    : []
  const files = new Set([...names, ...below.map((name) => `${FOLDER_READ}/${name}`)])
  const texts: Record<string, string> = {}
  for (const name of FILES_READ.filter((one) => files.has(one))) {
    const text = findPlain(join(root, name))?.toString()
    if (text !== undefined) texts[name] = text
    else files.delete(name) // a folder, or a pipe: no tool's file
  }
  return { files, texts }
}

function emptyWhenAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return []
  throw error
}
