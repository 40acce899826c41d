/** Gathers the facts about a conflict that a person or an agent needs, all of them bounded. */

import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readObjects } from "../../git/ask/cat-file.ts"
import { listSubjects } from "../../git/ask/log.ts"
import { readSizes } from "../../git/ask/object-sizes.ts"
import type { MergeConflict } from "../../git/change/merge-conflict.ts"
import { mergeFile } from "../../git/change/merge-file.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { ConflictFacts } from "../prompts/hand-back.ts"
import type { Replayed } from "./replay.ts"

/** More files than these are not resolved one by one. */
const PATHS_MAX = 50
/** Commits that we list for each side. */
const COMMITS_MAX = 10
/** Files that we read in parallel. */
const AT_ONCE = 4
/** Bound for the hunks of all files together. */
const HUNKS_CHARS_MAX = 24_000

/** The conflicting paths, and the commits in conflict. */
type Conflict = Pick<Replayed & { readonly kind: "conflict" }, "paths" | "readConflicts"> & {
  readonly base: Oid
  readonly head: Oid
  readonly target: Oid
}

export async function conflictFacts(repo: string, conflict: Conflict): Promise<ConflictFacts> {
  const conflicts = await conflict.readConflicts()
  const told = conflicts.slice(0, PATHS_MAX)
  const hunks = await readAll(repo, told)
  const { ours, theirs } = await listBothSubjects(repo, conflict)
  const shown = told.map((conflict, n) => ({
    path: displayPath(conflict.path),
    kind: conflict.kind,
    sides: sidesOf(conflict),
    hunks: hunks[n] ?? "",
  }))
  const { target } = conflict
  return { paths: shown, more: conflicts.length - told.length, ours, theirs, target }
}

async function listBothSubjects(
  repo: string,
  { base, head, target, ...rest }: Conflict,
): Promise<{ readonly ours: string[]; readonly theirs: string[] }> {
  const about: { paths: readonly GitPath[]; limit: number } = {
    paths: rest.paths.slice(0, PATHS_MAX),
    limit: COMMITS_MAX,
  }
  const ours = await listSubjects(repo, { from: base, to: head, ...about })
  const theirs = await listSubjects(repo, { from: base, to: target, ...about })
  return { ours, theirs }
}

async function readAll(repo: string, conflicts: readonly MergeConflict[]): Promise<string[]> {
  const all: string[] = []
  let room = HUNKS_CHARS_MAX
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

/** A larger conflict is cut: the agent reads the files anyway. */
const HUNK_CHARS_MAX = 4_000
/** A longer file is not read at all. */
const FILE_BYTES_MAX = 1024 * 1024

/** The parts of a file that git could not merge; empty if there is no text to show. */
async function readHunks(repo: string, conflict: MergeConflict): Promise<string> {
  const { kind, stages } = conflict
  if (kind === "mode") return eachSide(conflict, ({ mode }) => mode)
  if (kind === "submodule") return eachSide(conflict, ({ oid }) => oid)
  if (kind !== "content" && kind !== "symlink") return ""
  const sizes = await readSizes(
    repo,
    stages.map(({ oid }) => oid),
  )
  if (sizes.some((size) => size === undefined || size > FILE_BYTES_MAX)) return ""
  if (kind === "content") return cut(onlyConflicts(await mergeFile(repo, stages)))
  const links = await readObjects(
    repo,
    stages.map(({ oid }) => oid),
  )
  return cut(eachSide(conflict, (stage) => asText(links[stages.indexOf(stage)] ?? "")))
}

type Stage = MergeConflict["stages"][number]

const NAMES = { 1: "base", 2: "target", 3: "yours" } as const

function eachSide({ stages }: MergeConflict, tell: (stage: Stage) => string): string {
  assert(stages.length > 0, "such a conflict has sides")
  return stages.map((stage) => `${NAMES[stage.stage]}: ${tell(stage)}`).join("\n")
}

/** The conflicting parts of a text, with their markers. */
function onlyConflicts(merged: string): string {
  const hunks: string[] = []
  let inside = false
  for (const line of merged.split("\n")) {
    if (line.startsWith("<<<<<<< ")) inside = true
    if (inside) hunks.push(line)
    if (line.startsWith(">>>>>>> ")) inside = false
  }
  return hunks.join("\n")
}

const cut = (text: string): string =>
  text.length > HUNK_CHARS_MAX ? `${text.slice(0, HUNK_CHARS_MAX)}\n… (cut)` : text

const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")
