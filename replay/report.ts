/** The results of a replay: as data for machines, and as a table for people. */
import { FINDINGS, type Finding } from "./judge.ts"
import type { Replayed, ReplayedMerge } from "./replay.ts"

/** How many of the merges that want a look are listed by name. */
const LISTED_MAX = 40
/** Cases for a person to check. */
const NOTEWORTHY: readonly Finding[] = ["differs", "conflictOfOurs", "resolved", "edited", "failed"]

export type Report = {
  readonly repository: string
  readonly range: string
  readonly git: string
  readonly merges: number
  readonly skipped: { readonly octopus: number; readonly unrelated: number }
  readonly landed: number
  readonly contained: number
  readonly conflicts: {
    readonly all: number
    readonly inGitToo: number
    readonly ofOursAlone: number
  }
  readonly failed: number
  /** For topics that landed or were contained. */
  readonly trees: {
    readonly equal: number
    readonly edited: number
    readonly resolved: number
    readonly differs: number
  }
  /** Where git merge has a conflict, and the task's commits one by one have none. */
  readonly landedWhereGitConflicts: number
  readonly landingMs: Times
  readonly plainMs: Times
  /** Ratio of the medians; null without a merge. */
  readonly ratio: number | null
  readonly noteworthy: readonly {
    readonly merge: string
    readonly subject: string
    readonly finding: Finding
    readonly reason: string | null
  }[]
}

type Times = { readonly median: number; readonly p95: number }
type Place = Pick<Report, "repository" | "range" | "git">

export function report(place: Place, { merges, octopuses, unrelated }: Replayed): Report {
  const count = (is: (merge: ReplayedMerge) => boolean) => merges.filter(is).length
  const found = (wanted: Finding) => count(({ finding }) => finding === wanted)
  const came = (wanted: ReplayedMerge["outcome"]) => count(({ outcome }) => outcome === wanted)
  const landingMs = times(merges.map((merge) => merge.landingMs))
  const plainMs = times(merges.map((merge) => merge.plainMs))
  return {
    ...place,
    merges: merges.length,
    skipped: { octopus: octopuses, unrelated },
    landed: came("landed"),
    contained: came("contained"),
    conflicts: {
      all: came("conflict"),
      inGitToo: found("conflictInGit"),
      ofOursAlone: found("conflictOfOurs"),
    },
    failed: came("failed"),
    trees: {
      equal: found("equal"),
      edited: found("edited"),
      resolved: found("resolved"),
      differs: found("differs"),
    },
    landedWhereGitConflicts: count(
      ({ outcome, plain }) => outcome === "landed" && plain === "conflict",
    ),
    landingMs,
    plainMs,
    ratio: merges.length > 0 ? landingMs.median / plainMs.median : null,
    noteworthy: merges
      .filter(({ finding }) => NOTEWORTHY.includes(finding))
      .map(({ merge: { commit, subject }, finding, reason }) => ({
        merge: commit,
        subject,
        finding,
        reason,
      })),
  }
}

export function table(report: Report): string {
  const { skipped, conflicts, trees, noteworthy } = report
  const kept = report.landed + report.contained
  const rows: [string, string][] = [
    ["repository", `${report.repository}, ${report.range}, git ${report.git}`],
    [
      "merges",
      `${report.merges}; skipped: ${skipped.octopus} octopus, ${skipped.unrelated} unrelated`,
    ],
    [
      "landed",
      `${report.landed}, of which git merge conflicts in ${report.landedWhereGitConflicts}`,
    ],
    ["already contained", `${report.contained}`],
    [
      "conflicts",
      `${conflicts.all}: in git merge too ${conflicts.inGitToo}, of ours alone ${conflicts.ofOursAlone}`,
    ],
    ["failed", `${report.failed}`],
    ["recorded trees", `${trees.equal} of ${kept}`],
    [
      "  others",
      `edited by hand ${trees.edited}, resolved by hand ${trees.resolved}, unlike git's ${trees.differs}`,
    ],
    ["time per landing", shown(report.landingMs)],
    [
      "git merge by hand",
      `${shown(report.plainMs)}; ratio of the medians ${report.ratio?.toFixed(3) ?? "none"}`,
    ],
  ]
  const listed = noteworthy.slice(0, LISTED_MAX).map(describe)
  const more = noteworthy.length - listed.length
  return [
    ...rows.map(([name, value]) => `${name.padEnd(18)} ${value}`),
    ...listed,
    ...(more > 0 ? [`and ${more} more, with --json`] : []),
  ].join("\n")
}

const describe = ({ merge, subject, finding, reason }: Report["noteworthy"][number]): string =>
  `${merge.slice(0, 12)} ${subject}\n  ${FINDINGS[finding]}${reason ? `: ${reason}` : ""}`

const shown = ({ median, p95 }: Times): string =>
  `median ${median.toFixed(1)} ms, 95 % within ${p95.toFixed(1)} ms`

/** Of no values: 0. */
function times(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
  return { median: at(0.5), p95: at(0.95) }
}
