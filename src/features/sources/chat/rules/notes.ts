/** The notes that Coppice writes into a thread of a chat. Pure. */

import { fits, startOf } from "../../../../base/text/asked.ts"
import { mark } from "../../../../base/text/mark.ts"
import { reveal } from "../../../../base/text/shown.ts"
import { isAwaited, type Question } from "../../../../kernel/tasks/rules/question.ts"
import { resultOf } from "../../rules/source-item.ts"

/** No message of a chat may be longer than 2,000 characters. */
const TEXT_CHARS_MAX = 1_200

/** @param text of an agent, or about its work. Nothing in it is markup. */
const quoted = (text: string): string => `\`\`\`\n${startOf(shown(text), TEXT_CHARS_MAX)}\n\`\`\``

const shown = (text: string): string => mark(reveal(text), /`(?=``)/g)

/** Whether a note shows all of it. Nothing else is allowed by a reply. */
export const isShownWhole = ({ text, choices }: Pick<Question, "text" | "choices">): boolean =>
  fits(shown(listed(text, choices)), TEXT_CHARS_MAX)

const listed = (text: string, choices: readonly string[]): string =>
  [text, ...choices.map((choice, at) => `${at + 1}. ${choice}`)].join("\n")

/** A question of a task's agent, with the way to answer it. */
export function questionNote({ id, task, kind, text, choices }: Question): string {
  const all = `\`coppice answer ${task}\` shows all of it, and how to decide.`
  if (!isAwaited({ kind })) {
    const decide = `To decide, run \`coppice answer ${task} --question ${id} accept\` or \`decline\`.`
    const how = isShownWhole({ text, choices: [] }) ? decide : all
    return `Task ${task} proposes another task:\n${quoted(text)}\n${how}`
  }
  const allow = isShownWhole({ text, choices })
    ? "Reply here with `yes`, `no` or `deny: <why>`."
    : `${all} Here you can only reply with \`no\` or \`deny: <why>\`.`
  const how = kind === "permission" ? allow : "Reply here to answer."
  return `Task ${task} asks:\n${quoted(listed(text, choices))}\n${how}`
}

type Facts = NonNullable<Parameters<typeof resultOf>[0]> & {
  readonly id: number
  readonly reason: { readonly text: string } | null
}

/** Undefined: a task in this state needs no person, and has no result. */
export function stateNote(task: Facts): string | undefined {
  const { id, state, reason } = task
  const why = reason ? `:\n${quoted(reason.text.trim())}` : "."
  switch (state) {
    case "stuck":
    case "merge_failed":
      return `Task ${id} stopped${why}\nA reply here starts it again with your message.`
    case "in_approval":
      return `The work of task ${id} waits for approval: \`coppice diff ${id}\`, then \`coppice approve ${id}\`.\nA reply here sends it back to its agent with your feedback.`
    case "planning_complete":
      return `The plan of task ${id} waits for approval: \`coppice show ${id}\`, then \`coppice approve ${id}\`.\nA reply here sends it back to its agent with your feedback.`
    default:
      return resultOf(task)?.text
  }
}

export const OVER_NOTE =
  "This conversation has ended, so your reply reached no agent. For a new task, write a new message in the channel."

/** The reply was refused. @param why a sentence of ours. */
export const refusedNote = (why: string): string =>
  `Your reply did not reach the agent:\n${quoted(why)}`
