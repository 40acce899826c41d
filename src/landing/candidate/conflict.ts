/** Gathers what a person or an agent needs to know about a conflict; bounded in every direction. */

import { early } from "../../core/early.ts"
import type { ConflictFacts } from "../../core/prompts/hand-back.ts"
import { displayPath } from "../../git/path.ts"
import type { MergeConflict } from "../../git/trees/merge-conflict.ts"
import { type ConflictSides, listBothSubjects, PATHS_MAX, tellSubjects } from "./both-subjects.ts"
import { readHunks } from "./conflict-hunks.ts"
import type { Replayed } from "./replay.ts"

/** Files that are read side by side. */
const AT_ONCE = 4
/** Of all files together. */
const HUNK_CHARS_MAX = 24_000

type Conflict = ConflictSides &
  Pick<Replayed & { readonly kind: "conflict" }, "conflicts" | "touches">

export async function conflictFacts(repo: string, conflict: Conflict): Promise<ConflictFacts> {
  const subjects = early(subjectsOf(repo, conflict))
  const conflicts = await conflict.conflicts
  const told = conflicts.slice(0, PATHS_MAX)
  const hunks = await readAll(repo, told)
  const { ours, theirs } = await subjects
  const shown = told.map((conflict, n) => ({
    path: displayPath(conflict.path),
    kind: conflict.kind,
    sides: sidesOf(conflict),
    hunks: hunks[n] ?? "",
  }))
  const { target } = conflict
  return { paths: shown, more: conflicts.length - told.length, ours, theirs, target }
}

async function subjectsOf(repo: string, conflict: Conflict) {
  const touches = await conflict.touches
  return (touches && tellSubjects(touches, conflict)) ?? (await listBothSubjects(repo, conflict))
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
