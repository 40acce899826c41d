/** Lines that say which worktrees were removed, and why others stay. */
import { oneLine } from "../../../base/text/one-line.ts"
import type { RemovedWorktreesDocument } from "../wire.ts"

export function removedLines({ items }: RemovedWorktreesDocument): string[] {
  if (items.length === 0) return ["There is nothing to remove."]
  return items.flatMap(({ name, outcome, note, rescued }) => [
    `${outcome ?? "kept"}  ${oneLine(name)}${note === null ? "" : `: ${oneLine(note)}`}`,
    ...rescued.map((ref) => `  saved: ${oneLine(ref)}`),
  ])
}
