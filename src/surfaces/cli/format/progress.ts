/** The events of a task as lines, for a person who watches. */

import type { EventDocument, LogLineDocument } from "../../../api/wire/events.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { clean, quote } from "../../../base/text/shown.ts"
import { type Cause, standInWords } from "../../../kernel/tasks/rules/fallback.ts"
import type { Output } from "../output.ts"
import { gist } from "./text.ts"
import { clock, spanText } from "./time.ts"

type Data = EventDocument["data"]

/** The task's work has a pull request, whose address the task's document has. */
export const PULL_OPENED = "task.pull_request_opened"

/** The text of each event that a watcher needs. */
const TELL: Readonly<Record<string, (data: Data) => string>> = {
  "task.started": () => "working",
  "task.plan_started": () => "planning",
  "task.planned": () => "planned",
  "task.plan_approved": () => "carrying out its plan",
  "task.plan_rejected": () => "its plan is sent back",
  "task.told": () => "sent back to the agent, with a message",
  "message.sent": ({ text }) => `message to the agent: ${reasonText(text)}`,
  "message.delivered": () => "the agent has the message, in the turn that runs",
  "task.deletion_failed": ({ reason }) => `could not be deleted: ${reasonText(reason)}`,
  "task.resumed": () => "continues",
  "task.restarted": () => "started again",
  "workspace.ready": ({ worktree, branch }) =>
    branch ? `works in ${worktree} on ${branch}` : `works in ${worktree} as it is`,
  "workspace.teardown_failed": ({ command, failure }) => `teardown \`${command}\` ${failure}`,
  "turn.began": ({ n }) => (n === 1 ? "" : `turn ${n}`),
  "agent.replaced": ({ from, to, cause, text }) =>
    standInWords(String(from), { agent: String(to), cause: cause as Cause, text: String(text) }),
  "question.answered": ({ answer }) => `answered: ${answer}`,
  "task.landing_requested": () => "landing",
  "task.approval_requested": () => "waits for your approval",
  "task.rejected": () => "sent back to the agent",
  "review.started": ({ reviewer, by, open }) =>
    `reviewed by ${reviewer} (task ${by})${open ? `, which could change your repositories, as no sandbox works here: ${open}` : ""}`,
  "review.ended": ({ reviewer, verdict, comments }) =>
    `${reviewer}: ${verdict === "approved" ? "approved" : `${verdict}: ${reasonText(comments)}`}`,
  "landing.prepared": ({ to }) => (to === "syncing" ? "prepared on the target" : ""),
  "gate.files_changed": ({ paths }) =>
    `note: the work changes files that the gate runs: ${words(paths)}`,
  "gate.tree_changed": ({ paths }) =>
    `note: the gate changed files, which do not land: ${words(paths)}`,
  "target.moved": ({ how, undo }) => `the target moved past the gate, ${how}; back by: ${undo}`,
  "gate.started": (data) => `${gateOf(data)}: ${data["command"]}`,
  "gate.finished": gateFinished,
  "landing.blocked": ({ reason, paths }) => `waits: ${reasonText(reason)}${inTheWay(paths)}`,
  "landing.moved": () => "the target moved; prepares again",
  "landing.published": () => "published",
  "workspace.rebased": ({ conflict }) =>
    conflict === true ? "rebasing onto the target, with a conflict" : "rebased onto the target",
  "rescue.made": ({ ref }) => `saved under ${ref}`,
  "landing.handed_back": ({ reason }) => `handed back to the agent: ${reasonText(reason)}`,
  "task.landing_failed": ({ reason }) => `landing failed: ${reasonText(reason)}`,
  "task.landed": complete,
  "task.shipping_started": () => "pushing its branch",
  [PULL_OPENED]: () => "its pull request is open",
  "task.reviews_passed": () => "its pull request can be merged",
  "task.reviews_reopened": () => "its pull request needs a review or a check again",
  "task.pull_request_merged": (data) =>
    data["reason"] ? complete(data) : "complete: its pull request is merged",
  "task.finished": complete,
  "task.got_stuck": ({ reason, restarts }) =>
    `${restarts === true ? "failed, and is restarted once" : "stuck"}: ${reasonText(reason)}`,
  "task.cancelled": () => "cancelled",
  "task.paused": () => "paused",
}

/** The same where a person answers: all of it, byte for byte, with marks. */
const ASK: typeof TELL = {
  "question.asked": ({ text, choices }) =>
    `the agent asks: ${quote(String(text))}${listed(choices)}`,
  "sub_task.asked": ({ by, question, text, choices }) =>
    `sub-task ${by} asks: ${quote(String(text))}${listed(choices)}: \`coppice answer ${by} --question ${question} "…"\``,
}

/** Lines shown for one step of an agent. A report tells what to do first, and the cause last. */
const LINES_MAX = 14
const LAST_LINES = 8

/** Whether a line is the output of an agent's tool. */
export const isOfTool = ({ kind, call }: Pick<LogLineDocument, "kind" | "call">): boolean =>
  kind === "output" && call !== null

/** @returns the lines for `event`; none for most. */
export function formatEvent(output: Output, { at, type, data }: EventDocument): string[] {
  const told = ASK[type]?.(data) ?? oneLine(TELL[type]?.(data) ?? "")
  const notices = Array.isArray(data["notices"]) ? data["notices"].map(String) : []
  const lines = [told, ...notices.map(oneLine)].filter((text) => text !== "")
  return lines.map((text) => `${output.paint("dim", clock(at))} ${output.paint("bold", text)}`)
}

/** @returns the lines of a step of the agent, indented, shortened if there are many; none for the output of a tool. */
export function formatLogLine(output: Output, line: LogLineDocument): string[] {
  if (isOfTool(line)) return []
  const all = logText(line).split("\n")
  const more = all.length - LINES_MAX
  const first = all.slice(0, LINES_MAX - LAST_LINES)
  // One line takes no more room than the note that it was left out.
  const shown = more > 1 ? [...first, `… ${more} more lines`, ...all.slice(-LAST_LINES)] : all
  return shown.map((text) => {
    const indented = `         ${text}`
    return line.kind === "text" ? indented : output.paint("dim", indented)
  })
}

/** A step of the agent in full; a sign marks everything but its own words. */
export function logText({ kind, text }: LogLineDocument): string {
  const sign = { text: "", tool: "▸ ", output: "  ", notice: "! ", git: "" }[kind]
  return `${sign}${clean(text)
    .trimEnd()
    .replaceAll("\n", `\n${" ".repeat(sign.length)}`)}`
}

/** Names the repository if the task has several, and tells red work from a red target. */
function gateOf({ name, onTarget }: Data): string {
  const gate = typeof name === "string" ? `gate of ${name}` : "gate"
  return onTarget === true ? `${gate} on the target alone` : gate
}

function gateFinished(data: Data): string {
  const { exitCode, durationMs, ownChange } = data
  const took = typeof durationMs === "number" ? ` after ${spanText(durationMs)}` : ""
  const gate = gateOf(data)
  if (typeof ownChange === "string")
    return `${gate} failed${took}: it passed on its own change of ${clean(ownChange)}`
  return exitCode === 0
    ? `${gate} passed${took}`
    : `${gate} failed with exit code ${exitCode}${took}`
}

function complete({ reason }: Data): string {
  return ["complete", reasonText(reason)].filter(Boolean).join(": ")
}

/** The choices of a question, numbered as `answer` takes them. */
function listed(choices: unknown): string {
  if (!Array.isArray(choices) || choices.length === 0) return ""
  return ` (${choices.map((choice, at) => `${at + 1}: ${quote(String(choice))}`).join(", ")})`
}

const PATHS_SHOWN = 3

function inTheWay(paths: unknown): string {
  if (!Array.isArray(paths) || paths.length === 0) return ""
  return `: ${nameSome(paths.map(String), PATHS_SHOWN)}`
}

const words = (list: unknown) => (Array.isArray(list) ? list.map(String).join(", ") : "")

/** The reason of a task is an object with a text; that of a landing is a text. */
function reasonText(reason: unknown): string {
  if (typeof reason === "string") return gist(reason)
  const text = (reason as { text?: unknown } | null | undefined)?.text
  return typeof text === "string" ? gist(text) : ""
}
