/** First prompts of tasks that continue the work of another task. Pure. */
import { clean } from "../text/shown.ts"
import { AGENT_DATA, fenced } from "./fence.ts"

/** The first prompt of a task whose conversation begins as a copy of another task's. */
export function forkPrompt(prompt: string): string {
  return [
    "This is a new task, and this conversation is your own copy of an earlier one. You have a new worktree that starts from that work. Nothing you do here affects the earlier task.",
    prompt,
  ].join("\n\n")
}

/** The same if the conversation cannot be copied. */
export function forkBrief(
  forked: { readonly prompt: string; readonly lastMessage: string | null } | undefined,
  prompt: string,
): string {
  if (!forked) return prompt
  const message = clean(forked.lastMessage ?? "").trimEnd()
  return [
    prompt,
    "---",
    "You continue the work of another task, whose conversation is unavailable. Your worktree starts from its work (`git log`). Its prompt:",
    forked.prompt,
    ...(message === ""
      ? []
      : [
          `The text between the fences is its agent's last message. ${AGENT_DATA}`,
          fenced(message),
        ]),
  ].join("\n\n")
}
