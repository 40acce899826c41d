/** HEAD of a worktree: the branch that is checked out there, and its commit. */
import type { Oid, RefName } from "../core/ids.ts"
import { git, stdoutText } from "./exec.ts"

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
