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
import type { GitPath, Oid } from "../../../base/ids.ts"
import { isAtLeast } from "../../../base/requirements.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { readObjects } from "../ask/cat-file.ts"
import { listChanges } from "../ask/diff-tree.ts"
import { gitDir } from "../ask/rev-parse.ts"
import type { GitOptions } from "../start/exec.ts"
import { joinBytes } from "../start/git-path.ts"
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

/** The .gitattributes of one commit: itself where git takes them from there, else the files. */
export type Attributes =
  | { readonly source: Oid }
  | { readonly files: readonly { readonly path: GitPath; readonly content: Buffer }[] }

export async function readAttributes(cwd: string, tip: Oid): Promise<Attributes> {
  if (isAtLeast(await readGitVersion(), KNOWS_ATTR_SOURCE)) return { source: tip }
  const changes = await listChanges(cwd, emptyTree(tip), tip, ATTRIBUTES)
  const entries = changes.filter(({ path, newMode }) => newMode.startsWith("100") && isInside(path))
  const ids = entries.map(({ newOid }) => newOid)
  const contents = ids.length > 0 ? await readObjects(cwd, ids) : []
  return {
    files: entries.map(({ path }, n) => ({ path, content: Buffer.from(contents[n]!, "latin1") })),
  }
}

const ATTRIBUTES = [":(top,glob)**/.gitattributes"]

/**
 * Prepares merges that use these attributes: once for all picks of a landing. Dispose of it when
 * they are done.
 *
 * @param drivers names of the merge drivers that are configured; they fail here.
 */
export async function isolateMerges(
  cwd: string,
  attributes: Attributes,
  drivers: readonly string[],
): Promise<MergeIsolation> {
  const dir = await gitDir(cwd)
  const scratch = makeScratch()
  const folder = scratch.path
  try {
    if ("files" in attributes) await writeFiles(attributes.files, folder)
  } catch (error) {
    scratch[Symbol.dispose]()
    throw error
  }
  const args = "source" in attributes ? [`--attr-source=${attributes.source}`] : []
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

async function writeFiles(
  files: readonly { readonly path: GitPath; readonly content: Buffer }[],
  folder: string,
): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(joinBytes(folder, dirname(path) as GitPath), { recursive: true })
    await writeFile(joinBytes(folder, path), content)
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
