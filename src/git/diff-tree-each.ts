/** `git diff-tree --stdin`: what each of several commits changes, in one process. */
import { randomBytes } from "node:crypto"
import { assert } from "../core/assert.ts"
import type { GitPath, Oid } from "../core/ids.ts"
import { git } from "./exec.ts"
import { splitZ } from "./path.ts"

const ARGS = ["diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames"]
const DIFF = ["--ignore-submodules=none", "--no-relative"]

export type Touched = {
  /** Paths that differ between the two trees. */
  readonly between: ReadonlySet<GitPath>
  /** Paths that any of the commits changes, also where a later one takes it back. */
  readonly byCommits: ReadonlySet<GitPath>
}

/** @param trees two, and `commits`: each with one parent. */
export async function listTouched(
  cwd: string,
  trees: readonly [Oid, Oid],
  commits: readonly Oid[],
): Promise<Touched> {
  // Git repeats a line that names no object, so what came before it is told from what comes after.
  const mark = `between ${randomBytes(12).toString("hex")}`
  const lines = [trees.join(" "), mark, ...commits]
  const { stdout } = await git(cwd, [...ARGS, ...DIFF], { stdin: `${lines.join("\n")}\n` })
  const end = stdout.indexOf(`${mark}\n`)
  assert(end >= 0, "git repeats what it cannot read")
  const header = `${trees.join(" ")}\n`
  assert(stdout.startsWith(header), "git names the trees that it compares")
  const between = splitZ(stdout.slice(header.length, end))
  const byCommits = splitZ(stdout.slice(end + mark.length + 1))
  return { between: new Set(between as GitPath[]), byCommits: new Set(byCommits as GitPath[]) }
}
