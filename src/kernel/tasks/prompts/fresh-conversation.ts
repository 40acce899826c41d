/** The first prompts of fresh conversations, which go on with the work of an earlier conversation. Pure. */

import { AGENT_DATA, quoted } from "../../../base/text/fence.ts"
import { reportsPrompt } from "../../../features/sub-tasks/prompts.ts"
import type { Question } from "../rules/question.ts"
import type { Reason } from "../rules.ts"
import { earlierAnswers } from "./answers.ts"
import { planPrompt } from "./plan.ts"

export type Stopped = {
  readonly prompt: string
  /** Set once it is written, and approved if needed. */
  readonly plan: string | null
  readonly reason: Reason | null
  readonly lastMessage: string | null
  /** Why the work does not land, in our words: those of others are quoted in it. */
  readonly unresolved: string | null
  /** `<status> <path>` of the first changed files, and the number of all. */
  readonly changes: { readonly files: readonly string[]; readonly inAll: number }
  /** Questions of its agents: answered ones, and ones given up. */
  readonly answered: readonly Question[]
  readonly unanswered: readonly Question[]
  /** Messages that no agent has received, oldest first. */
  readonly messages: readonly string[]
  /** Ends of sub-tasks that no agent has received. */
  readonly reports?: readonly string[]
}

/** The task, its plan, why it stopped, why it does not land, and the changes so far. */
export function restartPrompt(stopped: Stopped, phase: "planning" | "working"): string {
  const { prompt, plan, reason, lastMessage, unresolved, changes, messages } = stopped
  const { answered, unanswered, reports = [] } = stopped
  return [
    phase === "planning" ? planPrompt(prompt) : prompt,
    "---",
    "Another agent worked on this before you, in this same worktree, and stopped. Look at its work (`git status`, `git log`) before you continue; uncommitted changes are part of it.",
    phase === "working" && plan ? planToFollow(plan) : "",
    reason ? `Why it stopped. ${AGENT_DATA}\n\n${quoted(reason.text)}` : "",
    lastMessage ? `Its last message. ${AGENT_DATA}\n\n${quoted(lastMessage)}` : "",
    changes.inAll > 0 ? changedFiles(changes) : "",
    unresolved ? `The work does not land because of this:\n\n${unresolved}` : "",
    answered.length > 0 ? earlierAnswers(answered) : "",
    unanswered.length > 0 ? stillUnknown(unanswered) : "",
    reports.length > 0 ? reportsPrompt(reports) : "",
    messages.length > 0
      ? `A person who looks after this task says:\n\n${messages.join("\n\n")}`
      : "",
  ]
    .filter(Boolean)
    .join("\n\n")
}

function planToFollow(plan: string): string {
  return `Follow the plan between the fences. ${AGENT_DATA}\n\n${quoted(plan)}`
}

function stillUnknown(unanswered: readonly Question[]): string {
  const asked = unanswered.map(({ text }) => quoted(text)).join("\n\n")
  return `Earlier agents asked this and got no answer. Ask again if you still need one. ${AGENT_DATA}\n\n${asked}`
}

function changedFiles({ files, inAll }: Stopped["changes"]): string {
  const more = inAll > files.length ? `\n… and ${inAll - files.length} more` : ""
  return `Changes so far, committed or not:\n\n${quoted(`${files.join("\n")}${more}`)}`
}

export type Fresh = Pick<Stopped, "prompt" | "plan" | "changes" | "answered"> & {
  /** The prompt of the turn that is due. */
  readonly next: string
  /** `next` was the first prompt of the earlier conversation: it stands alone. */
  readonly begins: boolean
  /** Facts about the end of the earlier conversation. */
  readonly stopped?: Pick<Stopped, "reason" | "lastMessage"> | undefined
}

/** The task and the work so far, then the next prompt. */
export function freshPrompt(fresh: Fresh, phase: "planning" | "working"): string {
  const { prompt, plan, changes, answered, next, begins, stopped } = fresh
  if (begins && changes.inAll === 0) return next
  const { reason, lastMessage } = stopped ?? { reason: null, lastMessage: null }
  const nothing = { reason, lastMessage, unresolved: null, unanswered: [], messages: [] }
  if (begins)
    return restartPrompt({ ...nothing, prompt: next, plan: null, changes, answered: [] }, "working")
  const brief = restartPrompt({ ...nothing, prompt, plan, changes, answered }, phase)
  return [brief, "---", `Your next step:\n\n${next}`].join("\n\n")
}

/** The first prompt of another task in the conversation of its work item. */
export function furtherTaskPrompt(prompt: string): string {
  return [
    "This is a new task on the work item that you have worked on before. Git has the result of your work. Your worktree may be another one, so files may differ from what you remember.",
    prompt,
  ].join("\n\n")
}

/** Asks the agent for the handoff; its last message is the document. */
export const HANDOFF_PROMPT = [
  "Your context is nearly full, so this conversation ends here. Stop working now: change no more files.",
  "Your next message is the last one. Make it a handoff for the agent that continues in this worktree and",
  "knows nothing of this conversation. Say what is wanted, what is done and how you checked it, and what",
  "is left, in order. Say what you decided and why, what did not work, and which files matter. Then stop.",
].join(" ")

export type Handoff = {
  readonly wanted: string
  /** The plan in progress; null without one. */
  readonly plan: string | null
  readonly document: string
  /** Messages and answers of people since then; possibly empty. */
  readonly told: string
}

export function handoffPrompt({ wanted, plan, document, told }: Handoff): string {
  return [
    wanted,
    "---",
    "You take over this task half-way, because the previous conversation was full. The worktree is as that conversation left it (`git status`, `git log`).",
    plan ? planToFollow(plan) : "",
    `This is its handoff. ${AGENT_DATA}\n\n${quoted(document)}`,
    told,
    "Continue from there.",
  ]
    .filter(Boolean)
    .join("\n\n")
}
