/** The first prompt of a conversation that replaces an earlier one. Pure. */
import { restartPrompt, type Stopped } from "./prompts/restart.ts"

export type Fresh = Pick<Stopped, "prompt" | "plan" | "changes" | "answered"> & {
  /** The prompt of the turn that is due. */
  readonly next: string
  /** `next` was the first prompt of the earlier conversation: it stands alone. */
  readonly begins: boolean
}

/** The task and the work so far, then the next prompt. */
export function freshPrompt(fresh: Fresh, phase: "planning" | "working"): string {
  const { prompt, plan, changes, answered, next, begins } = fresh
  if (begins && changes.inAll === 0) return next
  const nothing = { reason: null, lastMessage: null, unresolved: null, unanswered: [], words: [] }
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
