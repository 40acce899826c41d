/**
 * Lists commits that may have no ref: those in the reflogs of HEAD and a branch, and in the files of an
 * operation in progress, such as a rebase. The commit of `--autostash` has neither a ref nor a reflog.
 *
 * @see https://git-scm.com/docs/gitrepository-layout https://git-scm.com/docs/gitrevisions
 */
import { join } from "node:path"
import type { Oid, RefName } from "../../../base/ids.ts"
import { readLarge, readPlainText } from "../../process/plain-file.ts"
import { git } from "../start/exec.ts"
import { commonDirOf } from "../start/git-dir.ts"
import { areRefsFiles } from "./ref-files.ts"

/** `<from> <to> <who> <when>\t<why>`. */
const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /
/** Over a million entries, all in memory at once. */
const LOG_BYTES_MAX = 256 * 1024 * 1024
const ARGS = ["log", "--walk-reflogs", "--no-show-signature", "--format=%H"]

/**
 * Every commit at which a worktree's HEAD or a branch has stood, each once, each log newest first.
 * Starts no git if refs are files. Some commits may no longer exist.
 *
 * @param gitDir the worktree's own git directory.
 */
export async function listLogged(gitDir: string, branch: RefName | undefined): Promise<Oid[]> {
  const common = commonDirOf(gitDir)
  const refs = branch === undefined ? ["HEAD"] : ["HEAD", branch]
  const areFiles = areRefsFiles(common)
  const fileOf = (ref: string) => join(ref === "HEAD" ? gitDir : common, "logs", ref)
  const found = new Set<Oid>()
  for (const ref of refs)
    for (const oid of areFiles ? await readLog(fileOf(ref)) : await walkReflog(gitDir, ref))
      found.add(oid)
  return [...found]
}

/** Newest first. */
async function readLog(file: string): Promise<Oid[]> {
  const text = (await readLarge(file, { bytesMax: LOG_BYTES_MAX }))?.toString("latin1") ?? ""
  const named = text.split("\n").flatMap((line) => ENTRY.exec(line)?.slice(1) ?? [])
  return named.filter((oid) => !/^0+$/.test(oid)).reverse() as Oid[]
}

async function walkReflog(gitDir: string, ref: string): Promise<Oid[]> {
  const env = { GIT_DIR: gitDir } // git does not search for one here (safe.bareRepository)
  const { stdout } = await git(gitDir, [...ARGS, ref, "--"], { env, answers: [0, 128] })
  return stdout.split("\n").filter(Boolean) as Oid[]
}

const FILES = [
  ...["rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"],
  ...["rebase-merge/orig-head", "rebase-apply/orig-head", "ORIG_HEAD"],
  ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"],
]

/**
 * The commits that an operation in progress names, each once. Some may no longer exist.
 *
 * @param gitDir the worktree's own git directory.
 */
export function listOfOperation(gitDir: string): Oid[] {
  const lines = FILES.flatMap((name) => (readPlainText(join(gitDir, name)) ?? "").split("\n"))
  return [...new Set(lines.filter((line) => /^[0-9a-f]{40,64}$/.test(line)))] as Oid[]
}
