/** `worktree list`: lists the worktrees of this home, with the reason for keeping each. */
import { oneLine } from "../../../base/text/one-line.ts"
import { bytesText } from "../../../base/text/sizes.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { formatTable } from "../../../surfaces/cli/format/table.ts"
import { ageText } from "../../../surfaces/cli/format/time.ts"
import { noOperands } from "../../../surfaces/cli/operands.ts"
import type { Output } from "../../../surfaces/cli/output.ts"
import type { WorktreesDocument } from "../wire.ts"

export const command: Command = {
  operands: "",
  options: { sizes: { type: "boolean", about: "Measure the disk space of each" } },
  details: "Includes worktrees of finished tasks and of no task, and ready ones in a pool.",

  async run({ connect, output, json, nowMs }, positionals, values) {
    noOperands(positionals, "worktree list")
    const document = await (await connect()).worktrees(
      values["sizes"] === true ? { sizes: "true" } : {},
    )
    if (json) output.document(document)
    else output.lines(listLines(output, document, nowMs))
    return 0
  },
}

function listLines(output: Output, document: WorktreesDocument, nowMs: number): string[] {
  const { worktrees, notices } = document
  if (worktrees.length === 0) return ["There are no worktrees.", ...notices.map(oneLine)]
  const isMeasured = worktrees.some(({ bytes }) => bytes !== null)
  const heading = ["TASK", "STATE", "AGE", ...(isMeasured ? ["SIZE"] : []), "BRANCH", "PATH", "WHY"]
  const rows = worktrees.map(({ task, state, createdAt, bytes, branch, path, why }) => [
    task ?? "-",
    state ?? "-",
    createdAt === null ? "-" : ageText(createdAt, nowMs),
    ...(isMeasured ? [bytes === null ? "-" : bytesText(bytes)] : []),
    oneLine(branch ?? "-"),
    oneLine(path),
    oneLine(why),
  ])
  const painted = heading.map((name) => output.paint("dim", name))
  return [...formatTable([painted, ...rows]), ...notices.map(oneLine)]
}
