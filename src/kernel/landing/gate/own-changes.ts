/**
 * Finds what a gate that passed had changed of the work that it tested. A formatter with `--fix` mends
 * a file, or a test runner writes a snapshot that is missing; what would land is the file before that.
 *
 * Its changes of other tracked files are only named (same-tree.ts), because no task is at fault.
 */
import { assert } from "../../../base/assert.ts"
import type { GitPath } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import type { GateResult, Wrote } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"

/** Paths that the gate changed and the work too, and new ones. With any, a gate that passed is red. */
export async function listOwnChanges(
  { path, base, candidate }: LandingRepo,
  wrote: Pick<Wrote, "changed" | "made"> | null,
): Promise<readonly GitPath[]> {
  if (!wrote) return []
  assert(base && candidate, "a gate passed on a candidate")
  const changes = wrote.changed.length > 0 ? await listChanges(path, base, candidate) : []
  const work = new Set(changes.map((change) => change.path))
  return [...wrote.changed.filter((changed) => work.has(changed)), ...wrote.made]
}

/**
 * Whether the gate writes all of these on the target itself too, so that no work is at fault. A new file
 * counts where the gate makes files beside or above it there: reports and caches name their files by what is tested.
 */
export function writesAll({ wrote }: GateResult, own: readonly GitPath[]): boolean {
  const { changed = [], made = [] } = wrote ?? {}
  const written = new Set([...changed, ...made])
  const folders = [...new Set(made.map(folderOf))].filter((folder) => folder !== "")
  const isLike = (path: string) =>
    folders.some((folder) => path.startsWith(folder) || lastOf(folder) === lastOf(folderOf(path)))
  return own.length > 0 && own.every((path) => written.has(path) || isLike(path))
}

/** With its `/`; empty at the top. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)
const lastOf = (folder: string): string | undefined => folder.split("/").at(-2)
