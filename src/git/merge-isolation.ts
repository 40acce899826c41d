/**
 * Where merges run, so that they depend on nothing but commits.
 *
 * Left alone, `merge-tree` reads .gitattributes of whatever checkout it stands in, and runs merge
 * drivers from the shared configuration, which every agent can write. Here it stands in a scratch
 * folder that holds the attributes of one commit, and each driver that is configured fails, so
 * that a file which needs one is a conflict.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { GitPath, Oid } from "../core/ids.ts"
import { readObjects } from "./cat-file.ts"
import { listConfig } from "./config.ts"
import { listTree } from "./ls-tree.ts"
import { joinBytes } from "./path.ts"
import { gitDir } from "./rev-parse.ts"
import { isAtLeast, readGitVersion } from "./version.ts"

export type MergeIsolation = AsyncDisposable & {
  /** Scratch folder to run in. */
  readonly folder: string
  /** Arguments before the command. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  /** Names of the drivers that are configured, and fail here. */
  readonly drivers: readonly string[]
}

/**
 * Prepares merges that use the attributes of `tip`: once for all picks of a landing.
 * Dispose of it when they are done.
 */
export async function isolateMerges(cwd: string, tip: Oid): Promise<MergeIsolation> {
  const [version, dir, drivers] = await Promise.all([
    readGitVersion(),
    gitDir(cwd),
    listDrivers(cwd),
  ])
  const knowsSource = isAtLeast(version, 2, 41)
  const folder = await mkdtemp(join(tmpdir(), "coppice-merge-"))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    if (!knowsSource) await writeAttributes(cwd, tip, folder)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    folder,
    args: knowsSource ? [`--attr-source=${tip}`] : [],
    env: { GIT_DIR: dir, GIT_WORK_TREE: folder },
    settings: Object.fromEntries(drivers.map((name) => [`merge.${name}.driver`, "false"])),
    drivers,
    [Symbol.asyncDispose]: remove,
  }
}

async function listDrivers(cwd: string): Promise<string[]> {
  const config = await listConfig(cwd, "^merge\\..*\\.driver$")
  const names = config.map(({ key }) => key.slice("merge.".length, -".driver".length))
  return [...new Set(names.map((name) => Buffer.from(name, "latin1").toString("utf8")))]
}

/** Git before 2.41 takes attributes only from files. */
async function writeAttributes(cwd: string, tip: Oid, folder: string): Promise<void> {
  const entries = (await listTree(cwd, tip)).filter(
    ({ path, mode }) =>
      /(^|\/)\.gitattributes$/.test(path) && mode.startsWith("100") && isInside(path),
  )
  if (entries.length === 0) return
  const contents = await readObjects(
    cwd,
    entries.map(({ oid }) => oid),
  )
  for (const [n, { path }] of entries.entries()) {
    await mkdir(joinBytes(folder, dirname(path) as GitPath), { recursive: true })
    await writeFile(joinBytes(folder, path), Buffer.from(contents[n]!, "latin1"))
  }
}

/** A tree can be made by hand to hold `..`; such a path must not lead us out of the folder. */
function isInside(path: GitPath): boolean {
  return path.split("/").every((part) => !/^(|\.|\.\.|\.git)$/i.test(part))
}
