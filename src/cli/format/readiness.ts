/** The last report of what set-up provided in a task's worktrees, and of what is missing. */
import type { EventDocument } from "../../core/wire/events.ts"
import { REPORT_EVENT, reportLines, type WorkspaceReport } from "../../core/workspace-report.ts"
import type { Output } from "../output.ts"
import { oneLine } from "./text.ts"

/** @param events of the task, in order. @returns no lines without a report. */
export function readinessBlock(output: Output, events: readonly EventDocument[]): string[] {
  const reports = events.filter(({ type }) => type === REPORT_EVENT)
  const last = new Map(reports.map(({ data }) => [data["repo"], data as WorkspaceReport]))
  return [...last.values()].flatMap((report) => {
    const lines = reportLines(report).map((line) => `  ${oneLine(line)}`)
    const heading = `  ${output.paint("dim", `worktree of ${oneLine(report.repo)}`)}`
    return lines.length > 0 ? ["", heading, ...lines] : []
  })
}
