/** What a person's words answer, and how the agent is told. Pure. */
import { ACCEPT, ALLOW, DECLINE, DENY, isAllowed, type Question } from "../question.ts"

/**
 * The answer that a person's words mean: the text itself, or one of the choices.
 *
 * A choice is named by its text or its number, from 1; a permission is also given with `yes`.
 *
 * @returns undefined when the words are none of the choices and one of them is needed.
 */
export function toAnswer(question: Question, words: string): string | undefined {
  const { kind, choices } = question
  const said = words.trim()
  const named = choices.find((choice) => choice.toLowerCase() === said.toLowerCase())
  const numbered = /^\d+$/.test(said) ? choices[Number(said) - 1] : undefined
  if (named ?? numbered) return named ?? numbered
  if (kind === "question") return said
  const yes = { permission: ALLOW, proposal: ACCEPT }[kind]
  const no = { permission: DENY, proposal: DECLINE }[kind]
  if (/^y(es)?$/i.test(said)) return yes
  if (/^no?$/i.test(said)) return no
  // A refusal may say why: the agent is told.
  return kind === "permission" && said.toLowerCase().startsWith(`${DENY}:`) ? said : undefined
}

/** The next turn's prompt of an agent that stopped to wait for these answers. */
export function answersPrompt(answered: readonly Question[]): string {
  const parts = answered.map((question) => {
    const { kind, text, answer } = question
    if (kind === "permission")
      return isAllowed(answer ?? "")
        ? `You asked: ${text}\nYou may. Go on with it.`
        : `You asked: ${text}\nYou may not${reasonOf(answer)}. Find another way, or say that you are stuck.`
    return `You asked: ${text}\nThe answer: ${answer}`
  })
  return ["A person has answered you.", ...parts, "Go on with your task."].join("\n\n")
}

function reasonOf(answer: string | null): string {
  const reason = answer?.slice(DENY.length + 1).trim() ?? ""
  return reason === "" ? "" : `: ${reason}`
}
