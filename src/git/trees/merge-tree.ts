/** `git merge-tree`: a three-way merge without a working tree. Writes objects only. */
import { early } from "../../core/early.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { isAtLeast } from "../../core/requirements.ts"
import { git } from "../exec.ts"
import { formatCommit } from "../objects/commit-object.ts"
import { writeCommitObject } from "../objects/hash-object.ts"
import { splitZ } from "../path.ts"
import { pathspec } from "../pathspec.ts"
import { readGitVersion } from "../version.ts"
import { findMarked } from "./marked-text.ts"
import { type MergeConflict, parseConflicts } from "./merge-conflict.ts"
import type { MergeSaid } from "./merge-gits.ts"
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
      /** Of the conflicts, in their order. */
      readonly paths: readonly GitPath[]
      /** Being looked at closer. */
      readonly conflicts: Promise<readonly MergeConflict[]>
    }

/** Nobody's: the commit that stands for our side must be the same object each time. */
const IDENT = "Coppice <coppice@localhost> 0 +0000"
const NUMSTAT = ["-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"]
/** The first git that merges trees with a given base. */
const KNOWS_TREES = { major: 2, minor: 45 }
const BINARY_CHECK_PATHS_MAX = 200

/**
 * Merges what `theirs` changed since `base` into `oursTree`: a cherry-pick when `base` is the
 * parent of `theirs`, a squash when it is the merge base.
 *
 * @param isShort whether {@link areShort} says so of all files that may conflict.
 */
export async function mergeTree(
  cwd: string,
  sides: MergeSides,
  isolation: MergeIsolation,
  isShort?: Promise<boolean>,
): Promise<Merge> {
  const said = await runMerge(cwd, sides, isolation)
  if (said.isClean) return { kind: "clean", tree: treeOf(said) }
  const told = parseConflicts(said.output)
  const paths = told.map(({ path }) => path)
  const merged = { tree: treeOf(said), isShort: (await isShort) ?? false }
  const findText = (contents: readonly GitPath[]) => findMarked(cwd, merged, contents)
  return { kind: "conflict", paths, conflicts: early(refine(cwd, sides, told, findText)) }
}

/** As {@link mergeTree}, for whoever can do without a conflict's facts: then undefined. */
export async function pickTree(
  cwd: string,
  sides: MergeSides,
  isolation: MergeIsolation,
): Promise<Oid | undefined> {
  const said = await runMerge(cwd, sides, isolation)
  return said.isClean ? treeOf(said) : undefined
}

async function runMerge(
  cwd: string,
  sides: MergeSides,
  { gits }: MergeIsolation,
): Promise<MergeSaid> {
  const { base, ours, theirs } = await inputs(cwd, sides)
  return await gits.merge([...(base ? [base, "--"] : []), ours, theirs].join(" "))
}

const treeOf = ({ output }: MergeSaid): Oid => splitZ(output)[0] as Oid

/**
 * The same as a command line, with the drivers that are configured, and with attributes of the
 * worktree that it runs in. We never run it: drivers are somebody's programs, and need an owner.
 */
export async function drivenMergeCommand(cwd: string, sides: MergeSides): Promise<string[]> {
  const { base, ours, theirs } = await inputs(cwd, sides)
  const given = [...(base ? [`--merge-base=${base}`] : []), ours, theirs]
  return ["git", "-c", "core.hooksPath=/dev/null", "merge-tree", "--write-tree", "-z", ...given]
}

type Inputs = { readonly base?: Oid; readonly ours: Oid; readonly theirs: Oid }

/** An older git merges only commits; before 2.40 it also finds their base itself. */
async function inputs(cwd: string, sides: MergeSides): Promise<Inputs> {
  if (!("base" in sides)) return sides
  const { base, oursTree, theirs, oursTip } = sides
  if (isAtLeast(await readGitVersion(), KNOWS_TREES)) return { base, ours: oursTree, theirs }
  if (oursTip) return { ours: oursTip, theirs }
  const parts = { tree: oursTree, parents: [base], author: IDENT, committer: IDENT, message: "" }
  return { ours: await writeCommitObject(cwd, formatCommit(parts)), theirs }
}

/** With the text that git has made of each, and what it does not say. */
async function refine(
  cwd: string,
  sides: MergeSides,
  conflicts: readonly MergeConflict[],
  findText: (paths: readonly GitPath[]) => ReturnType<typeof findMarked>,
): Promise<MergeConflict[]> {
  const contents = conflicts.filter(({ kind }) => kind === "content").map(({ path }) => path)
  const marked = await findText(contents)
  const unmarked = contents.filter((path) => !marked.has(path))
  const binary = await listBinary(cwd, sides, unmarked)
  return conflicts.map((conflict) => {
    if (binary.has(conflict.path)) return { ...conflict, kind: "binary" }
    const text = marked.get(conflict.path)
    return text === undefined ? conflict : { ...conflict, marked: text }
  })
}

/** Git before 2.47 does not say of a conflict that it is one of binary files. */
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
