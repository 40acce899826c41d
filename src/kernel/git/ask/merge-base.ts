/** `git merge-base`: ancestry. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { gitFailure } from "../start/failure.ts"
import { readCommit, readTrees } from "./rev-parse.ts"

/**
 * Whether `descendant` contains `ancestor`; a commit contains itself. A recorded commit that the
 * repository no longer has is contained in no other: git collected it after its refs had moved
 * away.
 */
export async function isAncestor(cwd: string, ancestor: Oid, descendant: Oid): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", ancestor, descendant]
  const result = await git(cwd, args, { answers: [0, 1, 128] })
  if (result.exitCode !== 128) return result.exitCode === 0
  const there = await Promise.all([ancestor, descendant].map((commit) => readCommit(cwd, commit)))
  if (there[0] === undefined && there[1] !== undefined) return false
  throw await gitFailure(cwd, { args, result })
}

/** A best common ancestor, or undefined when the histories have nothing in common. */
export async function readMergeBase(cwd: string, a: Oid, b: Oid): Promise<Oid | undefined> {
  return (await listMergeBases(cwd, a, b))[0]
}

async function listMergeBases(cwd: string, a: Oid, b: Oid): Promise<Oid[]> {
  const { stdout } = await git(cwd, ["merge-base", "--all", a, b], { answers: [0, 1] })
  return stdout.split("\n").filter(Boolean) as Oid[]
}

export type Divergence = {
  readonly treeA: Oid
  readonly treeB: Oid
  /** Best common ancestors: several where the two have merged each other. */
  readonly mergeBases: readonly Oid[]
  /** The commits of `a` that `b` lacks, oldest first, parents before children. */
  readonly ahead: readonly Oid[]
}

const AHEAD = ["rev-list", "--reverse", "--topo-order", "--left-only", "--boundary"]

/**
 * The trees of two commits that are known to exist, where they meet, and what lies in between.
 *
 * Git finds the merge bases first and stops at them. Each is a parent of a listed commit, and git
 * marks all such parents with `-`. So if there is only one, it is the merge base.
 */
export async function readDivergence(cwd: string, a: Oid, b: Oid): Promise<Divergence> {
  const [{ stdout }, trees] = await Promise.all([
    git(cwd, [...AHEAD, `${a}...${b}`]),
    readTrees(cwd, [a, b]),
  ])
  const lines = stdout.split("\n").filter(Boolean)
  const ends = lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1) as Oid)
  const ahead = lines.filter((line) => !line.startsWith("-")) as Oid[]
  const mergeBases = ends.length === 1 ? ends : await listMergeBases(cwd, a, b)
  const [treeA, treeB] = trees as [Oid, Oid]
  return { treeA, treeB, mergeBases, ahead }
}
