/** The report on the set-up of a worktree: as stored in an event, and in words. Pure. */

import { nameSome } from "../../../base/text/group-paths.ts"
import type { PortBlock } from "./ports.ts"

export type WorkspaceReport = {
  /** Name of the repository. */
  readonly repo: string
  readonly worktree: string
  /** False: it was there already. */
  readonly fresh: boolean
  /** Paths; counts include paths that the lists leave out. */
  readonly copied: readonly string[]
  readonly copiedCount: number
  readonly linked: readonly string[]
  readonly linkedCount: number
  /** Null without one. */
  readonly setup: StepReport | null
  readonly check: StepReport | null
  /** Untracked files that set-up and check left this time, in words, and their number. */
  readonly left: string
  readonly leftCount: number
  /** Tracked files that set-up changed, restored to their commit. */
  readonly putBack: readonly string[]
  readonly putBackCount: number
  /** Files from `copy` and `link` that git does not ignore. */
  readonly exposed: readonly string[]
  readonly exposedCount: number
  /** Null without ports. */
  readonly ports: PortBlock | null
  /** Ports of these that are in use, although no agent of the task runs. */
  readonly busyPorts: readonly number[]
  readonly slug: string
  readonly missing: Missing
  /** Submodules that are empty. */
  readonly submodules: readonly string[]
  /** Files of Git LFS that are pointers. */
  readonly pointers: readonly string[]
}

export type StepReport = {
  readonly command: string
  /** `reused`: its earlier result is still valid. */
  readonly outcome: "passed" | "failed" | "reused"
  readonly durationMs: number
}

/** Ignored files and folders in the main worktree's root that a task's worktree does not have. */
export type Missing = {
  readonly wanted: readonly MissingEntry[]
  /** Number of entries not in the list. */
  readonly moreCount: number
  /** Build outputs, caches and the like: the worktree makes its own. */
  readonly outputCount: number
}

/** `by`: the setting that would provide it. */
export type MissingEntry = { readonly path: string; readonly by: "copy" | "setup" }

/** The event of every preparation; its data is the report. */
export const REPORT_EVENT = "workspace.report"

export const NONE_MISSING: Missing = { wanted: [], moreCount: 0, outputCount: 0 }
/** Paths that a list names. */
export const PATHS_MAX = 20

/** Sentences for a person, the most important last; empty without news. */
export function reportLines(report: WorkspaceReport): string[] {
  const { repo, setup, check, ports, slug, missing } = report
  const steps = [stepLine("set-up", setup), stepLine("check", check)]
  const done = [placedLine(report), ...steps, busyLine(report)].filter(Boolean)
  const leaves = [leftLine(report), putBackLine(report), exposedLine(report)].filter(Boolean)
  const lacks = [...leaves, ...unfilledLines(report), ...missingLines(repo, missing)]
  // Ports alone need no report: they are in the agent's environment.
  const isNews = done.length + lacks.length > 0 && report.fresh
  const own = ports && isNews ? [portsLine(ports, slug)] : []
  return [...done, ...own, ...lacks]
}

const portsLine = ({ first, count }: PortBlock, slug: string) =>
  `ports ${first} to ${first + count - 1}, slug ${slug}`

function placedLine({ copied, copiedCount, linked, linkedCount }: WorkspaceReport): string {
  const parts = [
    copiedCount > 0 ? `copied ${listed(copied, copiedCount)}` : "",
    linkedCount > 0 ? `linked ${listed(linked, linkedCount)}` : "",
  ]
  return parts.filter(Boolean).join("; ")
}

function busyLine({ busyPorts }: WorkspaceReport): string {
  return busyPorts.length > 0 ? `in use by something else: ports ${busyPorts.join(", ")}` : ""
}

function stepLine(name: string, step: StepReport | null): string {
  if (!step) return ""
  const { command, outcome, durationMs } = step
  if (outcome === "reused") return `${name} \`${command}\`: nothing it depends on has changed`
  return `${name} \`${command}\` ${outcome} after ${seconds(durationMs)}`
}

function leftLine({ left, leftCount }: WorkspaceReport): string {
  if (leftCount === 0) return ""
  const files = leftCount === 1 ? "1 untracked file" : `${leftCount} untracked files`
  return `set-up left ${files} (${left}): not landed while unchanged; add them to .gitignore`
}

function putBackLine({ putBack, putBackCount }: WorkspaceReport): string {
  if (putBackCount === 0) return ""
  return `set-up changed ${listed(putBack, putBackCount)}: put back as committed`
}

function exposedLine({ exposed, exposedCount }: WorkspaceReport): string {
  if (exposedCount === 0) return ""
  const named = listed(exposed, exposedCount)
  return `git does not ignore ${named}, which \`copy\` or \`link\` put there: an agent's \`git add -A\` commits that, and Coppice refuses to land it; add it to .gitignore`
}

/** A git command fills both, before the rest of set-up. */
function unfilledLines({ repo, submodules, pointers }: WorkspaceReport): string[] {
  const line = (what: string, paths: readonly string[], command: string) =>
    `${what}: ${listed(paths.slice(0, PATHS_MAX), paths.length)} (\`${command}\` in \`repos.${repo}.setup\` fills them)`
  const update = "git submodule update --init"
  return [
    submodules.length > 0 ? line("empty submodules", submodules, update) : "",
    pointers.length > 0 ? line("pointers of Git LFS", pointers, "git lfs pull") : "",
  ].filter(Boolean)
}

function missingLines(repo: string, { wanted, moreCount, outputCount }: Missing): string[] {
  const of = (by: MissingEntry["by"]) => wanted.filter((entry) => entry.by === by)
  const names = (entries: readonly MissingEntry[]) => entries.map(({ path }) => path).join(", ")
  const [copy, setup] = [of("copy"), of("setup")]
  const more = moreCount > 0 ? `, and ${moreCount} more` : ""
  const lines = [
    copy.length > 0 ? `missing here: ${names(copy)}${more} (\`repos.${repo}.copy\` brings it)` : "",
    setup.length > 0 ? `missing here: ${names(setup)} (\`repos.${repo}.setup\` makes it)` : "",
    outputCount > 0 && wanted.length > 0
      ? `and ${outputCount} build ${outputCount === 1 ? "output" : "outputs"} or caches`
      : "",
  ]
  return lines.filter(Boolean)
}

const listed = (paths: readonly string[], count: number): string =>
  nameSome(paths, paths.length, count)

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
