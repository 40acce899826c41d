/** `git merge-tree`: a three-way merge without a working tree. Writes objects only. */
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { isAtLeast } from "../../../base/requirements.ts"
import { settingVariables } from "../start/environment.ts"
import { git, readConfigAt } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { pathspec } from "../start/pathspec.ts"
import { readGitVersion } from "../start/version.ts"
import { formatCommit, writeCommitObject } from "./commit-objects.ts"
import { type MergeConflict, parseConflicts } from "./merge-conflict.ts"
import type { MergeIsolation } from "./merge-isolation.ts"

export type MergeSides =
  | {
      readonly base: Oid
      /** A tree, not a commit. */
      readonly oursTree: Oid
      /** A commit that descends from `base`. */
      readonly theirs: Oid
      /** A commit of `oursTree` that has nothing later than `base` in common with `theirs`. */
      readonly oursTip?: Oid
    }
  /** Two commits, from the merge base that git finds; of several it first merges those. */
  | { readonly ours: Oid; readonly theirs: Oid }

export type Merge =
  | { readonly kind: "clean"; readonly tree: Oid }
  | {
      readonly kind: "conflict"
      /** The conflicts' paths, in their order. */
      readonly paths: readonly GitPath[]
      /** Reads the details of each. */
      readConflicts(): Promise<readonly MergeConflict[]>
    }

/** A fixed ident, so that the commit for our side is the same object each time. */
const IDENT = "Coppice <coppice@localhost> 0 +0000"
const MERGE_TREE = ["merge-tree", "--write-tree", "-z"]
const NUMSTAT = ["-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"]
/** The first git that merges trees with a given base. */
const KNOWS_TREES = { major: 2, minor: 45 }
const BINARY_CHECK_PATHS_MAX = 200

/**
 * Merges what `theirs` changed since `base` into `oursTree`: a cherry-pick when `base` is the
 * parent of `theirs`, a squash when it is the merge base.
 *
 * @returns also of a conflict the tree, with git's markers in the files.
 */
export async function mergeTree(
  cwd: string,
  sides: MergeSides,
  { folder, args, options, commits }: MergeIsolation,
): Promise<Merge & { readonly tree: Oid }> {
  const command = [...args, ...MERGE_TREE, ...(await inputs(sides, (raw) => commits.write(raw)))]
  const { exitCode, stdout } = await git(folder, command, { ...options, answers: [0, 1] })
  const tree = splitZ(stdout)[0] as Oid | undefined
  assert(tree, "merge-tree names the tree that it has written")
  if (exitCode === 0) return { kind: "clean", tree }
  const found = parseConflicts(stdout)
  const paths = found.map(({ path }) => path)
  return { kind: "conflict", tree, paths, readConflicts: () => refine(cwd, sides, found) }
}

/**
 * The same merge as a command line, with the user's configured drivers and the attributes of the
 * worktree that it runs in. The caller runs it, because drivers are foreign programs and need a
 * process owner.
 */
export async function drivenMergeCommand(cwd: string, sides: MergeSides): Promise<string[]> {
  const overruled = (await readConfigAt(cwd)).filter(({ scope }) => scope === "command")
  const settings = overruled.map(({ key, value }) => [asText(key), asText(value)] as const)
  const variables = settingVariables([["core.hooksPath", "/dev/null"], ...settings])
  const env = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const given = await inputs(sides, (raw) => writeCommitObject(cwd, raw))
  return ["env", ...env, "git", ...MERGE_TREE, ...given]
}

const asText = (raw: string) => Buffer.from(raw, "latin1").toString("utf8")

/**
 * The arguments that name the sides.
 *
 * Git before 2.45 merges only commits, and before 2.40 it takes no `--merge-base`. There we pass the tip
 * of our side, or a commit of its tree whose only parent is the base; git then finds the base itself.
 */
async function inputs(
  sides: MergeSides,
  write: (rawCommit: string) => Promise<Oid>,
): Promise<string[]> {
  if (!("base" in sides)) return [sides.ours, sides.theirs]
  const { base, oursTree, theirs, oursTip } = sides
  if (isAtLeast(await readGitVersion(), KNOWS_TREES))
    return [`--merge-base=${base}`, oursTree, theirs]
  if (oursTip) return [oursTip, theirs]
  const parts = { tree: oursTree, parents: [base], author: IDENT, committer: IDENT, message: "" }
  return [await write(formatCommit(parts)), theirs]
}

/** Adds a kind that older versions of git do not report. */
async function refine(
  cwd: string,
  sides: MergeSides,
  conflicts: readonly MergeConflict[],
): Promise<MergeConflict[]> {
  const contents = conflicts.filter(({ kind }) => kind === "content").map(({ path }) => path)
  const binary = await listBinary(cwd, sides, contents)
  return conflicts.map((one) => (binary.has(one.path) ? { ...one, kind: "binary" } : one))
}

/** Git before 2.47 does not mark conflicts of binary files. */
async function listBinary(
  cwd: string,
  sides: MergeSides,
  paths: readonly GitPath[],
): Promise<ReadonlySet<GitPath>> {
  if (paths.length === 0) return new Set()
  const specs = paths.slice(0, BINARY_CHECK_PATHS_MAX).map(pathspec)
  const [a, b] = "base" in sides ? [sides.base, sides.oursTree] : [sides.ours, sides.theirs]
  const { stdout } = await git(cwd, ["diff-tree", ...NUMSTAT, a, b, "--", ...specs])
  const lines = splitZ(stdout).filter((line) => line.startsWith("-\t-\t"))
  return new Set(lines.map((line) => line.slice("-\t-\t".length) as GitPath))
}
