/**
 * Notes where refs and the log of HEAD are when a gate begins, in the git directory of its worktree.
 * So the end of the gate, also after a crash, tells what was there before.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { listRefs } from "../../git/ask/list-refs.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"

const FILE = "coppice-gate-start"
const PREFIXES = ["refs/heads/", "refs/remotes/", "refs/tags/"]

export async function noteStart(worktree: string): Promise<void> {
  const dir = findGitDir(worktree)
  if (dir === undefined) return
  const bytes = statSync(join(dir, "logs/HEAD"), { throwIfNoEntry: false })?.size ?? 0
  const tips = (await listRefs(worktree, ...PREFIXES)).map(({ oid }) => oid)
  writeWhole(join(dir, FILE), [bytes, ...new Set(tips)].join("\n"))
}

export type SinceStart = {
  /** Where branches, remote branches and tags were. */
  readonly refs: readonly string[]
  /** The last line that came to the log of HEAD since then; empty without one. */
  readonly move: string
}

/** Without the note there are no refs, and without the log no move. */
export function readSinceStart(worktree: string): SinceStart {
  const dir = findGitDir(worktree) ?? worktree
  const [bytes = "0", ...refs] = findPlain(join(dir, FILE))?.toString().split("\n") ?? []
  const log = findPlain(join(dir, "logs/HEAD"))?.subarray(Number(bytes)).toString() ?? ""
  return { refs, move: log.trimEnd().split("\n").at(-1) ?? "" }
}
