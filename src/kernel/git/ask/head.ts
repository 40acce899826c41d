/** Reads HEAD of a worktree (its branch and commit), and symbolic branches. */
import { lstatSync } from "node:fs"
import { join } from "node:path"
import type { Oid, RefName } from "../../../base/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { git, stdoutText } from "../start/exec.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { areRefsFiles, isSymbolic } from "./ref-files.ts"
import { gitDir, readCommit } from "./rev-parse.ts"

export type Head =
  | { readonly kind: "branch"; readonly ref: RefName; readonly commit: Oid | undefined }
  | { readonly kind: "detached"; readonly commit: Oid }

/** Asks for HEAD. A branch without a commit is unborn. */
export async function readHead(cwd: string): Promise<Head> {
  return (await readUsualHead(cwd)) ?? (await askForHead(cwd))
}

/** Starts no git. @returns undefined for an unusual HEAD: then ask git. */
async function readUsualHead(root: string): Promise<Head | undefined> {
  const dir = findGitDir(root)
  if (dir === undefined || !areRefsFiles(commonDirOf(dir))) return undefined
  const file = join(dir, "HEAD")
  if (lstatSync(file).isSymbolicLink()) return undefined
  const text = readPlainText(file)?.trimEnd() ?? ""
  if (text.includes("\0")) return undefined // git reads up to there
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return { kind: "detached", commit: text as Oid }
  const ref = /^ref: (refs\/heads\/.+)$/.exec(text)?.[1] as RefName | undefined
  if (ref === undefined || isSymbolic(join(commonDirOf(dir), ref))) return undefined
  const commit = await readCommit(root, ref)
  return commit && { kind: "branch", ref, commit }
}

async function askForHead(cwd: string): Promise<Head> {
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
 * The target of a symbolic branch, such as an old name kept for a new one. Undefined for a normal
 * branch, without starting git if refs are files.
 */
export async function readAlias(cwd: string, ref: RefName): Promise<RefName | undefined> {
  const common = commonDirOf(await gitDir(cwd))
  if (areRefsFiles(common)) {
    // A symbolic ref is never packed.
    if (!isSymbolic(join(common, ref))) return undefined
  }
  const result = await git(cwd, ["symbolic-ref", "--quiet", ref], { answers: [0, 1, 128] })
  return result.exitCode === 0 ? (stdoutText(result).trim() as RefName) : undefined
}
