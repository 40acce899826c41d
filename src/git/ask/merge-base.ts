/** `git merge-base`: ancestry. */
import type { Oid } from "../../core/ids.ts"
import { GitError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { readCommit } from "./rev-parse.ts"

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
  throw new GitError(args, result)
}

/** A best common ancestor, or undefined when the histories have nothing in common. */
export async function readMergeBase(cwd: string, a: Oid, b: Oid): Promise<Oid | undefined> {
  const { exitCode, stdout } = await git(cwd, ["merge-base", a, b], { answers: [0, 1] })
  return exitCode === 0 ? (stdout.trim() as Oid) : undefined
}

export type Divergence = {
  readonly treeA: Oid
  readonly treeB: Oid
  /** Best common ancestors: several where the two have merged each other. */
  readonly mergeBases: readonly Oid[]
}

/** The trees of two commits that are known to exist, and where they meet, in one question. */
export async function readDivergence(cwd: string, a: Oid, b: Oid): Promise<Divergence> {
  const { stdout } = await git(cwd, ["rev-parse", `${a}^{tree}`, `${b}^{tree}`, `${a}...${b}`])
  const lines = stdout.split("\n").filter(Boolean)
  const [treeA, treeB] = lines as [Oid, Oid]
  const bases = lines.filter((line) => line.startsWith("^")).map((line) => line.slice(1))
  return { treeA, treeB, mergeBases: bases as Oid[] }
}
