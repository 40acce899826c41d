/** Gathers what a person or an agent needs to know about a conflict. */
import type { ConflictFacts } from "../core/hand-back.ts"
import type { Oid } from "../core/ids.ts"
import { listSubjects } from "../git/log.ts"
import type { MergeConflict } from "../git/merge-conflict.ts"
import { mergeFile } from "../git/merge-file.ts"
import { displayPath } from "../git/path.ts"

/** A conflict that is larger is shown by its first part: the agent reads the files anyway. */
const HUNK_CHARS_MAX = 4_000
const COMMITS_MAX = 10

type Sides = { readonly base: Oid; readonly head: Oid; readonly target: Oid }

export async function conflictFacts(
  repo: string,
  { base, head, target }: Sides,
  conflicts: readonly MergeConflict[],
): Promise<ConflictFacts> {
  const paths = conflicts.map(({ path }) => path)
  const [ours, theirs, shown] = await Promise.all([
    listSubjects(repo, { from: base, to: head, paths, limit: COMMITS_MAX }),
    listSubjects(repo, { from: base, to: target, paths, limit: COMMITS_MAX }),
    Promise.all(
      conflicts.map(async (conflict) => ({
        path: displayPath(conflict.path),
        kind: conflict.kind,
        hunks: conflict.kind === "content" ? await readHunks(repo, conflict) : "",
      })),
    ),
  ])
  return { paths: shown, ours, theirs, target }
}

/** The parts that git could not merge, as the markers that an agent would see show them. */
async function readHunks(repo: string, { stages }: MergeConflict): Promise<string> {
  const merged = await mergeFile(repo, stages)
  const hunks: string[] = []
  let inside = false
  for (const line of merged.split("\n")) {
    if (line.startsWith("<<<<<<< ")) inside = true
    if (inside) hunks.push(line)
    if (line.startsWith(">>>>>>> ")) inside = false
  }
  const text = hunks.join("\n")
  return text.length > HUNK_CHARS_MAX ? `${text.slice(0, HUNK_CHARS_MAX)}\n… (cut)` : text
}
