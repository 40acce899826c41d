/** One task, readable at a glance. */

import type { ConflictDocument, TaskDocument, Usage } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { quote, reveal } from "../../../base/text/shown.ts"
import { pullText } from "../../../features/pull-requests/rules.ts"
import { conflictLines } from "../../../kernel/landing/prompts/hand-back.ts"
import { standInWords, workedBy } from "../../../kernel/tasks/rules/fallback.ts"
import type { Output } from "../output.ts"
import { outcomeText, signedState, stateReason } from "./state.ts"
import { formatTable } from "./table.ts"
import { cut, dollars, plural } from "./text.ts"
import { ageText, spanText } from "./time.ts"

export function taskCard(output: Output, task: TaskDocument, nowMs: number): string[] {
  const heading = `${task.id}  ${oneLine(task.title)}`
  const rows = [
    ["state", signedState(output, task.state)],
    ["reason", hasConflictBlock(task) ? "" : stateReason(task)],
    ["agent", agentOf(task)],
    ["", task.standIn === null ? "" : oneLine(standInWords(task.agent, task.standIn))],
    ["work item", task.workItem ?? ""],
    ["priority", task.priority === 0 ? "" : String(task.priority)],
    ["after", task.after.join(", ")],
    ["on", task.on ?? ""],
    ["parent", task.parent ?? ""],
    ["sub-tasks", task.children.join(", ")],
    ...task.repos.flatMap(repoRows),
    ...task.pullRequests.flatMap(pullRows),
    ["review of", task.reviewOf === null ? "" : `task ${task.reviewOf}`],
    ...task.reviews.flatMap(reviewRows),
    ["landing", landingOf(task)],
    ["left", leftOf(task)],
    ...landingRows(task),
    ...task.jobs.map((job) => jobRow(job, task)),
    ["session", task.sessionId ?? ""],
    ["plan", planOf(task)],
    [
      "deletion",
      task.deletion ? `${task.deletion.state} ${task.deletion.reason ?? ""}`.trim() : "",
    ],
    [
      "changed",
      `${ageText(task.updatedAt, nowMs)} ago, made ${ageText(task.createdAt, nowMs)} ago`,
    ],
  ].filter(([, value]) => value !== "")
  const painted = rows.map(([name, value]) => [`  ${output.paint("dim", name!)}`, value!])
  const conflict = task.landing?.conflict
  const block = conflict ? conflictBlock(output, conflict) : []
  const plan = task.plan?.text ? ["", `  | ${quote(task.plan.text)}`] : []
  return [output.paint("bold", heading), ...formatTable(painted), ...block, ...plan]
}

/** The block below the rows has all that the reason of a failed landing says about a conflict. */
const hasConflictBlock = ({ state, landing }: TaskDocument): boolean =>
  state === "merge_failed" && Boolean(landing?.conflict)

/** Empty for work without an agent. */
function agentOf({ agent, standIn, jobs, usage }: TaskDocument): string {
  const who = workedBy(agent, standIn)
  return agent === null ? "" : `${who}, ${plural(jobs.length, "job")}, ${usageOf(usage)}`
}

/** The words of an agent's last message that a row shows. */
const SUMMARY_CHARS_MAX = 200

/** The reason above has the error of the latest job. */
function jobRow(
  { id, state, durationMs, summary, error }: TaskDocument["jobs"][number],
  { reason }: TaskDocument,
) {
  const length = durationMs === null ? state : `${state} after ${spanText(durationMs)}`
  const said = error !== null && error === reason?.text ? "" : oneLine(error ?? summary ?? "")
  return ["job", `${id}, ${length}${said && `: ${cut(said, SUMMARY_CHARS_MAX)}`}`]
}

function planOf({ plan, state }: TaskDocument): string {
  if (!plan) return ""
  const isAhead = ["registered", "planning", "planning_complete"].includes(state)
  const by = plan.mode === "approve" && isAhead ? ", which a person approves" : ""
  const from = plan.by === null ? "" : ` by ${plan.by}`
  return plan.id === null
    ? `to be written${from}${by}`
    : `${plan.id.slice(0, 12)}${from}, below${by}`
}

function repoRows({ name, branch, target, worktree, head }: TaskDocument["repos"][number]) {
  const from = branch === null ? "" : `${oneLine(branch)}${head ? ` (${short(head)})` : ""} → `
  return [
    ["repo", `${name}: ${from}${oneLine(target)}`],
    ["worktree", worktree ?? ""],
  ]
}

function pullRows(pull: TaskDocument["pullRequests"][number]): string[][] {
  return [
    ["pull request", `${oneLine(pull.url)}: ${pullText(pull)}`],
    ["", pull.problem === null ? "" : oneLine(pull.problem)],
  ]
}

/** A row of a card is short; `--json` and the reviewer's task have all. */
const COMMENTS_CHARS_MAX = 300

function reviewRows({ reviewer, by, state, comments, commits }: TaskDocument["reviews"][number]) {
  const heads = commits.map(({ head }) => short(head)).join(", ")
  const words: Partial<Record<string, string>> = { changes: "wants changes", failed: "no verdict" }
  const said = words[state] ?? state
  const text = comments ? `: ${oneLine(comments).slice(0, COMMENTS_CHARS_MAX)}` : ""
  return [["review", `${reviewer}${by === null ? "" : ` (task ${by})`}, ${heads}: ${said}${text}`]]
}

/** The progress of the landing in each repository, if there are several. */
function landingRows({ landing }: TaskDocument): string[][] {
  if (!landing || landing.repos.length === 1) return []
  return landing.repos.map(({ name, base, candidate, published }) => {
    const commits = candidate && base ? `${short(candidate)} on ${short(base)}` : "not prepared"
    const isSame = candidate !== null && candidate === base
    return ["", `${name}: ${isSame ? "nothing changed" : commits}${published ? ", landed" : ""}`]
  })
}

function landingOf({ landing }: TaskDocument): string {
  if (!landing) return ""
  const { id, state, outcome, attempts, handbacks, base, candidate } = landing
  if (outcome === "NO_CHANGES") return `${id}: ${outcomeText(outcome)}`
  const isOne = landing.repos.length === 1
  const commits = isOne && candidate && base ? `, ${short(candidate)} on ${short(base)}` : ""
  const tries = attempts > 0 ? `, ${plural(attempts, "failed attempt")}` : ""
  const back = handbacks > 0 ? `, ${plural(handbacks, "hand-back")}` : ""
  const why = outcome && state !== "landed" ? `: ${outcomeText(outcome)}` : ""
  return `${id}: ${state.replace("_", " ")}${why}${commits}${tries}${back}`
}

/** The clean-up's sentences about what stayed; `reason` has those of a task that changed nothing. */
const leftOf = ({ landing }: TaskDocument): string =>
  landing?.state === "landed" && landing.outcome === "LANDED" ? oneLine(landing.reason ?? "") : ""

function usageOf({ turns, inputTokens, outputTokens, costUsd }: Usage): string {
  const cost = costUsd === null ? "" : `, ${dollars(costUsd)}`
  const tokens = inputTokens + outputTokens
  const read = tokens > 0 ? `, ${inputTokens} tokens in, ${outputTokens} out` : ""
  return `${plural(turns, "turn")}${read}${cost}`
}

function short(oid: string): string {
  return oid.slice(0, 8)
}

/** For all parts together; `--json` has more, and the files have everything. */
const LINES_MAX = 40

function conflictBlock(output: Output, conflict: ConflictDocument): string[] {
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
