/** A conflict, for people: the files, the commits of both sides, and the conflicting parts. */

import { conflictLines } from "../../core/prompts/hand-back.ts"
import { reveal } from "../../core/shown.ts"
import type { ConflictDocument } from "../../core/wire.ts"
import type { Output } from "../output.ts"
import { oneLine } from "./text.ts"

/** For all parts together; `--json` has more, and the files have everything. */
const LINES_MAX = 40

export function conflictBlock(output: Output, conflict: ConflictDocument): string[] {
  const { paths, target, theirs, ours } = conflict
  const parts = paths.flatMap(({ path, hunks }) =>
    hunks === "" ? [] : [`${oneLine(path)}:`, ...reveal(hunks).split("\n")],
  )
  const more = parts.length - LINES_MAX
  return [
    ...part(output, "in conflict", conflictLines(conflict)),
    ...part(output, `on the target (${target.slice(0, 8)})`, theirs),
    ...part(output, "on its branch", ours),
    ...part(output, "the parts", parts.slice(0, LINES_MAX)),
    ...(more > 0 ? [`    … ${more} more lines`] : []),
  ]
}

function part(output: Output, heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  return [`  ${output.paint("dim", heading)}`, ...lines.map((line) => `    ${reveal(line)}`)]
}
