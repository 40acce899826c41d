/** The settings that a person's own work lands with, shown before it starts. */

import type { WorkTakenDocument } from "../../../api/wire/landings.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { formatTable } from "../../../surfaces/cli/format/table.ts"
import { plural } from "../../../surfaces/cli/format/text.ts"
import type { Output } from "../../../surfaces/cli/output.ts"

/** Beyond this, commits and paths are only counted. */
const LISTED_MAX = 5

export function landSummary(
  output: Output,
  task: TaskDocument,
  taken: WorkTakenDocument,
): string[] {
  const { repo, branch, worktree, head, target, gate, commits, subjects, leftOut } = taken
  const left = leftOut && `${plural(leftOut.count, "uncommitted file")} in ${leftOut.worktree}`
  const rows: [string, string][] = [
    ["repo", repo],
    [branch === null ? "worktree" : "branch", `${branch ?? worktree} (${head.slice(0, 8)})`],
    ["commits", String(commits)],
    ...listed(subjects, commits),
    ["target", target],
    ["gate", gate ?? "none: nothing is tested"],
    ...(leftOut ? ([["left out", left ?? ""]] as [string, string][]) : []),
    ...(leftOut ? listed(leftOut.paths, leftOut.count) : []),
  ]
  const painted = rows.map(([name, value]) => [`  ${output.paint("dim", name)}`, oneLine(value)])
  return [output.paint("bold", `${task.id}  ${oneLine(task.title)}`), ...formatTable(painted), ""]
}

function listed(items: readonly string[], inAll: number): [string, string][] {
  const shown = items.slice(0, LISTED_MAX)
  const more = inAll - shown.length
  const lines = [...shown, ...(more > 0 ? [`… ${more} more`] : [])]
  return lines.map((line) => ["", line])
}
