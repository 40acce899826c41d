/**
 * Finds an operation in progress in a worktree, such as a merge or rebase. We read the worktree's
 * own git directory, because HEAD does not tell: during a rebase it looks detached.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { branchRef, type RefName } from "../../../base/ids.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { gitDir } from "./rev-parse.ts"

export type OperationKind = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "am"
export type Operation = {
  readonly kind: OperationKind
  /** The branch to which a detached HEAD will return. */
  readonly branch: RefName | undefined
}

/** In this order: a cherry-pick or merge that stops inside a rebase is the rebase's. */
const MARKS: readonly (readonly [string, OperationKind])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer", "cherry-pick"], // or several reverts, between two of them
  ["BISECT_LOG", "bisect"],
]

/** One sentence, without its end: what is in progress there, and how a person ends it. */
export const inProgress = (kind: OperationKind, path: string): string =>
  `a ${kind} is in progress in ${path}; finish it, or give it up there with \`${givesUp(kind)}\``

/** The command that gives an operation up. */
export const givesUp = (kind: OperationKind): string =>
  kind === "bisect" ? "git bisect reset" : `git ${kind} --abort`

/** The operation in progress in the worktree of `cwd`. */
export async function findOperation(cwd: string): Promise<OperationKind | undefined> {
  return readOperation(await gitDir(cwd))?.kind
}

/** The same with its branch, from the worktree's git directory. Starts no git. */
export function readOperation(dir: string): Operation | undefined {
  const kind = MARKS.find(([name]) => existsSync(join(dir, name)))?.[1]
  if (!kind) return undefined
  if (kind === "bisect") return { kind, branch: readBisected(dir) }
  const names = ["rebase-merge/head-name", "rebase-apply/head-name"]
  const found = names.map((name) => readPlainText(join(dir, name))).find(Boolean)
  const name = found?.trim() ?? ""
  return { kind, branch: name.startsWith("refs/") ? (name as RefName) : undefined }
}

/** BISECT_START holds a branch's short name, or a commit. */
function readBisected(dir: string): RefName | undefined {
  const start = readPlainText(join(dir, "BISECT_START"))?.trim() ?? ""
  return start === "" || /^[0-9a-f]{40,64}$/.test(start) ? undefined : branchRef(start)
}
