/** The message of the commit with an agent's leftovers. Pure. */
import { oneLine } from "../../../base/text/one-line.ts"
import type { AgentConfig } from "../../../config/config.ts"
import type { Task } from "../../tasks/rows/row.ts"

/** More than a subject should have; a longer message is cut. */
const SUMMARY_CHARS_MAX = 200

/** `{summary}` is the agent's last message in one line; the task's title if it has said nothing. */
export function leftoversMessage(
  { workspace }: Pick<AgentConfig, "workspace">,
  { title, lastMessage }: Pick<Task, "title" | "lastMessage">,
): string {
  const chars = [...(oneLine(lastMessage ?? "") || oneLine(title))]
  const cut = `${chars.slice(0, SUMMARY_CHARS_MAX - 1).join("")}…`
  const summary = chars.length > SUMMARY_CHARS_MAX ? cut : chars.join("")
  return workspace.commitMessage.replaceAll("{summary}", () => summary)
}
