/** Prompts that pass on a person's messages to the agent of a task. Pure. */

import { reportsPrompt } from "../../../features/sub-tasks/prompts.ts"
import type { Question } from "../rules/question.ts"
import { answersPrompt } from "./answers.ts"

/**
 * The next turn's prompt, in the same conversation.
 *
 * @param texts the person's messages, oldest first.
 * @param phase while the agent plans, its last message must still be the whole plan.
 */
function messagePrompt(texts: readonly string[], phase: "planning" | "working"): string {
  const still = "Still change nothing: your last message must be the whole plan."
  const rest = phase === "planning" ? [still] : []
  return ["A message from the person who looks after this task:", ...texts, ...rest].join("\n\n")
}

/** The same for messages that reach an agent while it works, or that interrupted it. */
export function messageNowPrompt(texts: readonly string[], phase: "planning" | "working"): string {
  const goOn = "Take this into account, and finish what you were doing unless it says otherwise."
  return `${messagePrompt(texts, phase)}\n\n${goOn}`
}

type Replies = {
  readonly answers: readonly Question[]
  readonly texts: readonly string[]
  readonly reports?: readonly string[]
}

/**
 * The prompt for messages from a person, and for ends of sub-tasks. Pure.
 *
 * All in one prompt, so that neither waits for another turn; possibly empty.
 */
export function repliesPrompt(
  { answers, texts, reports = [] }: Replies,
  phase: "planning" | "working",
): string {
  const parts = [
    reports.length > 0 ? reportsPrompt(reports) : "",
    answers.length > 0 ? answersPrompt(answers, phase) : "",
    texts.length > 0 ? messagePrompt(texts, phase) : "",
  ]
  return parts.filter(Boolean).join("\n\n")
}

/**
 * The prompt of an agent whose work a person did not approve. Pure.
 *
 * The next turn's prompt of the same session. @param feedback in the person's own words.
 */
export function rejectionPrompt(feedback: string | undefined): string {
  const request = feedback
    ? `A person has looked at your work and wants it changed before it lands. Their feedback:\n\n${feedback}`
    : "A person has looked at your work and did not approve it, without saying why. Review it from their point of view: does it do what was asked for, and no more?"
  return [
    request,
    "Your worktree is as you left it. Change it, then stop. The person sees the new state before anything lands; do not merge or push it yourself.",
  ].join("\n\n")
}

/**
 * The prompt of an agent that continues a complete task. Pure.
 *
 * The next turn's prompt of the same conversation.
 *
 * @param message the person's; undefined if they gave none.
 * @param isFresh its worktree was removed, so it gets a new one.
 */
export function resumePrompt(
  message: string | undefined,
  { isFresh }: { readonly isFresh: boolean },
): string {
  const place = isFresh
    ? "This task was complete, and your work is in its target branch unless that changed since. You are in a new worktree of that branch, so files may differ from what you remember."
    : "This task was complete, and its worktree is as you left it."
  const wish = message
    ? `A person wants you to continue. Their message:\n\n${message}`
    : "A person wants you to continue, without saying what is missing. Check that everything is done, and done well; repair the rest."
  return [place, wish].join("\n\n")
}
