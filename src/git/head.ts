/** HEAD of a worktree: its branch and commit; and branches that stand for other branches. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Oid, RefName } from "../core/ids.ts"
import { git, stdoutText } from "./exec.ts"
import { commonDirOf } from "./git-dir.ts"
import { gitDir } from "./rev-parse.ts"

export type Head =
  | { readonly kind: "branch"; readonly ref: RefName; readonly commit: Oid | undefined }
  | { readonly kind: "detached"; readonly commit: Oid }

/** Asks for HEAD. A branch without a commit is one that is still to be born. */
export async function readHead(cwd: string): Promise<Head> {
  const args = ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]
  const result = await git(cwd, args, { answers: [0, 128] })
  if (result.exitCode !== 0) return readUnbornHead(cwd)
  const [commit, ref] = stdoutText(result).split("\n") as [Oid, RefName | "HEAD"]
  return ref === "HEAD" ? { kind: "detached", commit } : { kind: "branch", ref, commit }
}

async function readUnbornHead(cwd: string): Promise<Head> {
  const result = await git(cwd, ["symbolic-ref", "HEAD"])
  return { kind: "branch", ref: stdoutText(result).trim() as RefName, commit: undefined }
}

/**
 * What a branch stands for where it is symbolic (an old name that was kept for a new one).
 * Undefined for any other; that is told without starting git, where refs are files.
 */
export async function readAlias(cwd: string, ref: RefName): Promise<RefName | undefined> {
  const common = commonDirOf(await gitDir(cwd))
  if (!existsSync(join(common, "reftable"))) {
    // A symbolic ref is always a file of its own, and never packed.
    const text = await readFile(join(common, ref), "latin1").catch(() => "")
    if (!text.startsWith("ref:")) return undefined
  }
  const result = await git(cwd, ["symbolic-ref", "--quiet", ref], { answers: [0, 1, 128] })
  return result.exitCode === 0 ? (stdoutText(result).trim() as RefName) : undefined
}
