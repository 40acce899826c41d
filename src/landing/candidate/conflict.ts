/** Gathers what a person or an agent needs to know about a conflict; bounded in every direction. */

import type { Oid } from "../../core/ids.ts"
import type { ConflictFacts } from "../../core/prompts/hand-back.ts"
import { listSubjects } from "../../git/log.ts"
import type { MergeConflict } from "../../git/merge-conflict.ts"
import { displayPath } from "../../git/path.ts"
import { readHunks } from "./conflict-hunks.ts"

/** More files than that are not resolved one by one. */
const PATHS_MAX = 50
const COMMITS_MAX = 10
/** Files that are read side by side. */
const AT_ONCE = 4
/** Of all files together. */
const HUNK_CHARS_MAX = 24_000

type Sides = { readonly base: Oid; readonly head: Oid; readonly target: Oid }

export async function conflictFacts(
  repo: string,
  { base, head, target }: Sides,
  conflicts: readonly MergeConflict[],
): Promise<ConflictFacts> {
  const told = conflicts.slice(0, PATHS_MAX)
  const paths = told.map(({ path }) => path)
  const [ours, theirs, hunks] = await Promise.all([
    listSubjects(repo, { from: base, to: head, paths, limit: COMMITS_MAX }),
    listSubjects(repo, { from: base, to: target, paths, limit: COMMITS_MAX }),
    readAll(repo, told),
  ])
  const shown = told.map((conflict, n) => ({
    path: displayPath(conflict.path),
    kind: conflict.kind,
    sides: sidesOf(conflict),
    hunks: hunks[n] ?? "",
  }))
  return { paths: shown, more: conflicts.length - told.length, ours, theirs, target }
}

async function readAll(repo: string, conflicts: readonly MergeConflict[]): Promise<string[]> {
  const all: string[] = []
  let room = HUNK_CHARS_MAX
  for (let at = 0; at < conflicts.length; at += AT_ONCE) {
    const some = conflicts.slice(at, at + AT_ONCE)
    const texts = room > 0 ? await Promise.all(some.map((one) => readHunks(repo, one))) : []
    for (const n of some.keys()) {
      const text = room > 0 ? (texts[n] ?? "") : ""
      room -= text.length
      all.push(text)
    }
  }
  return all
}

/** Which sides have the file, by its stages in order: base, target, yours. */
const SIDES: Readonly<Record<string, string>> = {
  "123": "changed on both sides",
  "23": "added on both sides",
  "13": "deleted on the target, changed by the task",
  "12": "changed on the target, deleted by the task",
  "1": "moved or deleted on both sides",
  "2": "only the target has it",
  "3": "only the task has it",
}

function sidesOf({ stages }: MergeConflict): string {
  const present = new Set(stages.map(({ stage }) => stage))
  return SIDES[[...present].sort().join("")] ?? ""
}
