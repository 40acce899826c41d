/**
 * Where merges run, so that they depend on nothing but commits.
 *
 * Left alone, `merge-tree` reads .gitattributes of whatever checkout it stands in, and runs merge
 * drivers from the shared configuration, which every agent can write. Here it stands in a scratch
 * folder that holds the attributes of one commit, and each driver that is configured fails, so
 * that a file which needs one is a conflict.
 */
import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import type { GitPath, Oid } from "../../core/ids.ts"
import { isAtLeast } from "../../core/requirements.ts"
import { makeScratch } from "../../process/scratch.ts"
import { readObjects } from "../ask/cat-file.ts"
import { listChanges } from "../ask/diff-tree.ts"
import { gitDir } from "../ask/rev-parse.ts"
import type { GitOptions } from "../start/exec.ts"
import { joinBytes } from "../start/path.ts"
import { readGitVersion } from "../start/version.ts"
import { CommitWriter } from "./commit-objects.ts"

/** The first git that takes attributes from a commit. */
const KNOWS_ATTR_SOURCE = { major: 2, minor: 41 }

export type MergeIsolation = AsyncDisposable & {
  /** Scratch folder that they run in. */
  readonly folder: string
  /** Arguments before the command. */
  readonly args: readonly string[]
  readonly options: Pick<GitOptions, "env" | "settings">
  /** Into the repository. */
  readonly commits: CommitWriter
}

/**
 * Prepares merges that use the attributes of `tip`: once for all picks of a landing. Dispose of it
 * when they are done.
 *
 * @param drivers names of the merge drivers that are configured; they fail here.
 */
export async function isolateMerges(
  cwd: string,
  tip: Oid,
  drivers: readonly string[],
): Promise<MergeIsolation> {
  const [version, dir] = await Promise.all([readGitVersion(), gitDir(cwd)])
  const knowsSource = isAtLeast(version, KNOWS_ATTR_SOURCE)
  const scratch = makeScratch()
  const folder = scratch.path
  try {
    if (!knowsSource) await writeAttributes(cwd, tip, folder)
  } catch (error) {
    scratch[Symbol.dispose]()
    throw error
  }
  const args = knowsSource ? [`--attr-source=${tip}`] : []
  const env = { GIT_DIR: dir, GIT_WORK_TREE: folder }
  const failing = drivers.map((name) => [`merge.${name}.driver`, "false"])
  const options = { env, settings: Object.fromEntries(failing) }
  const commits = new CommitWriter(cwd)
  const dispose = async () => {
    await commits[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  }
  return { folder, args, options, commits, [Symbol.asyncDispose]: dispose }
}

const ATTRIBUTES = [":(top,glob)**/.gitattributes"]

/** An older git takes attributes only from files. */
async function writeAttributes(cwd: string, tip: Oid, folder: string): Promise<void> {
  const files = await listChanges(cwd, emptyTree(tip), tip, ATTRIBUTES)
  const entries = files.filter(({ path, newMode }) => newMode.startsWith("100") && isInside(path))
  if (entries.length === 0) return
  const contents = await readObjects(
    cwd,
    entries.map(({ newOid }) => newOid),
  )
  for (const [n, { path }] of entries.entries()) {
    await mkdir(joinBytes(folder, dirname(path) as GitPath), { recursive: true })
    await writeFile(joinBytes(folder, path), Buffer.from(contents[n]!, "latin1"))
  }
}

/** Git knows the empty tree without storing it; its id depends on the hash. */
function emptyTree({ length }: Oid): Oid {
  return createHash(length === 40 ? "sha1" : "sha256")
    .update("tree 0\0")
    .digest("hex") as Oid
}

/** A handmade tree can hold `..`; such a path must not lead out of the folder. */
function isInside(path: GitPath): boolean {
  return path.split("/").every((part) => !/^(|\.|\.\.|\.git)$/i.test(part))
}
