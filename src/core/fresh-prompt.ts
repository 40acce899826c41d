/** What a conversation is given that has to go on without an earlier one. Pure. */
import { restartPrompt, type Stopped } from "./prompts/restart.ts"

export type Fresh = Pick<Stopped, "prompt" | "plan" | "changes" | "answered"> & {
  /** The prompt of the turn that is due. */
  readonly next: string
  /** `next` began the earlier conversation: it needs nothing before it. */
  readonly begins: boolean
}

/** The task and what was done for it so far, then what is due. */
export function freshPrompt(fresh: Fresh, phase: "planning" | "working"): string {
  const { prompt, plan, changes, answered, next, begins } = fresh
  if (begins && changes.inAll === 0) return next
  const nothing = { reason: null, lastMessage: null, unresolved: null, unanswered: [], words: [] }
  if (begins)
    return restartPrompt({ ...nothing, prompt: next, plan: null, changes, answered: [] }, "working")
  const brief = restartPrompt({ ...nothing, prompt, plan, changes, answered }, phase)
  return [brief, "---", `What is due now:\n\n${next}`].join("\n\n")
}

/** The first prompt of a further task in the conversation of its work item. */
export function furtherTaskPrompt(prompt: string): string {
  return [
    "This is a new task on the work item that you have worked on before. What became of your work is in git, and your worktree may be another one: what you remember of the files may have changed.",
    prompt,
  ].join("\n\n")
}
