/** Reads a person's answer, and writes the prompt that passes it to the agent. Pure. */

import { AGENT_DATA, quoted } from "../../../base/text/fence.ts"
import { ACCEPT, ALLOW, DECLINE, DENY, isAllowed, type Question } from "../rules/question.ts"

/**
 * Turns a person's text into an answer: the text itself, or one of the choices.
 *
 * The text names a choice by its text or its number, from 1. `yes` also grants a permission. A number
 * without a choice is a typing mistake, not an answer.
 *
 * @returns undefined if the question needs one of its choices and the text names none.
 */
export function toAnswer(question: Question, text: string): string | undefined {
  const { kind, choices } = question
  const said = text.trim()
  const named = choices.find((choice) => choice.toLowerCase() === said.toLowerCase())
  const isNumber = /^\d+$/.test(said)
  const numbered = isNumber ? choices[Number(said) - 1] : undefined
  if (named ?? numbered) return named ?? numbered
  if (kind === "question") return isNumber && choices.length > 0 ? undefined : said
  const yes = { permission: ALLOW, proposal: ACCEPT }[kind]
  const no = { permission: DENY, proposal: DECLINE }[kind]
  if (/^y(es)?$/i.test(said)) return yes
  if (/^no?$/i.test(said)) return no
  // A refusal may give a reason for the agent.
  return kind === "permission" && said.toLowerCase().startsWith(`${DENY}:`) ? said : undefined
}

/** The next prompt of an agent that stopped to wait for these answers. */
export function answersPrompt(
  answered: readonly Question[],
  phase: "planning" | "working",
): string {
  const parts = answered.map((question) => {
    const { kind, text, answer } = question
    const asked = `You asked:\n\n${quoted(text)}\n\n`
    if (kind === "permission")
      return isAllowed(answer ?? "")
        ? `${asked}You may. Continue with it.`
        : `${asked}You may not${reasonOf(answer)}. Find another way, or report that you are stuck.`
    return `${asked}The answer: ${answer}`
  })
  const goOn = phase === "planning" ? GO_ON_PLANNING : "Continue with your task."
  return ["A person has answered you.", ...parts, goOn].join("\n\n")
}

const GO_ON_PLANNING =
  "Continue with your plan. Still change nothing: your last message must be the whole plan."

/** The same for an agent that did not ask these questions itself: earlier agents of the task did. */
export function earlierAnswers(answered: readonly Question[]): string {
  const parts = answered.map(({ kind, text, answer }) => {
    const may = isAllowed(answer ?? "") ? "You may." : `You may not${reasonOf(answer)}.`
    return `Asked:\n\n${quoted(text)}\n\n${kind === "permission" ? may : `The answer: ${answer}`}`
  })
  return [
    `Earlier questions on this task, and the answers of a person. The fences hold the questions. ${AGENT_DATA}`,
    ...parts,
  ].join("\n\n")
}

function reasonOf(answer: string | null): string {
  const reason = answer?.slice(DENY.length + 1).trim() ?? ""
  return reason === "" ? "" : `: ${reason}`
}
