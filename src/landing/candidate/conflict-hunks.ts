/** Extracts the parts of a file that git could not merge, as bounded text. */
import { assert } from "../../core/assert.ts"
import { readObjects } from "../../git/ask/cat-file.ts"
import { readSizes } from "../../git/ask/object-sizes.ts"
import type { MergeConflict } from "../../git/change/merge-conflict.ts"
import { mergeFile } from "../../git/change/merge-file.ts"

/** A larger conflict is cut: the agent reads the files anyway. */
const HUNK_CHARS_MAX = 4_000
/** A longer file is not read at all. */
const FILE_BYTES_MAX = 1024 * 1024

/** @returns empty if there is no text to show. */
export async function readHunks(repo: string, conflict: MergeConflict): Promise<string> {
  const { kind, stages } = conflict
  if (kind === "mode") return sidesOf(conflict, ({ mode }) => mode)
  if (kind === "submodule") return sidesOf(conflict, ({ oid }) => oid)
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
  return cut(sidesOf(conflict, (stage) => asText(links[stages.indexOf(stage)] ?? "")))
}

type Stage = MergeConflict["stages"][number]

const NAMES = { 1: "base", 2: "target", 3: "yours" } as const

function sidesOf({ stages }: MergeConflict, tell: (stage: Stage) => string): string {
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
