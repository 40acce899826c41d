/**
 * The commits that git's logs of HEAD and of branches name.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { git } from "../exec.ts"
import { areRefsFiles } from "../refs/head-file.ts"
import { commonDirOf } from "../worktrees/git-dir.ts"

/** `<from> <to> <who> <when>\t<why>`. */
const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /
const ARGS = ["log", "--walk-reflogs", "--no-show-signature", "--format=%H"]

/**
 * Where HEAD of one worktree, and a branch, have ever stood, each commit once: of each log the
 * youngest first. Starts no git where refs are files. Some may be gone meanwhile.
 *
 * @param gitDir the worktree's own git directory.
 */
export async function listLogged(gitDir: string, branch: RefName | undefined): Promise<Oid[]> {
  const common = commonDirOf(gitDir)
  const refs = branch === undefined ? ["HEAD"] : ["HEAD", branch]
  const areFiles = areRefsFiles(common)
  const fileOf = (ref: string) => join(ref === "HEAD" ? gitDir : common, "logs", ref)
  const found: Oid[] = []
  for (const ref of refs)
    found.push(...(areFiles ? readLog(fileOf(ref)).reverse() : await ask(gitDir, ref)))
  return [...new Set(found)]
}

function readLog(file: string): Oid[] {
  const text = readPlainText(file, "latin1") ?? ""
  const named = text.split("\n").flatMap((line) => ENTRY.exec(line)?.slice(1) ?? [])
  return named.filter((oid) => !/^0+$/.test(oid)) as Oid[]
}

async function ask(gitDir: string, ref: string): Promise<Oid[]> {
  const { stdout } = await git(gitDir, [...ARGS, ref, "--"], { answers: [0, 128] })
  return stdout.split("\n").filter(Boolean) as Oid[]
}
