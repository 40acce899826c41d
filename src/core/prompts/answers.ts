/** What a person's words answer, and how the agent is told. Pure. */
import { ACCEPT, ALLOW, DECLINE, DENY, isAllowed, type Question } from "../question.ts"

/**
 * The answer that a person's words mean: the text itself, or one of the choices.
 *
 * A choice is named by its text or its number, from 1; a permission is also given with `yes`. A
 * number that no choice has is a slip of the finger, not an answer.
 *
 * @returns undefined when the words are none of the choices and one of them is needed.
 */
export function toAnswer(question: Question, words: string): string | undefined {
  const { kind, choices } = question
  const said = words.trim()
  const named = choices.find((choice) => choice.toLowerCase() === said.toLowerCase())
  const isNumber = /^\d+$/.test(said)
  const numbered = isNumber ? choices[Number(said) - 1] : undefined
  if (named ?? numbered) return named ?? numbered
  if (kind === "question") return isNumber && choices.length > 0 ? undefined : said
  const yes = { permission: ALLOW, proposal: ACCEPT }[kind]
  const no = { permission: DENY, proposal: DECLINE }[kind]
  if (/^y(es)?$/i.test(said)) return yes
  if (/^no?$/i.test(said)) return no
  // A refusal may say why: the agent is told.
  return kind === "permission" && said.toLowerCase().startsWith(`${DENY}:`) ? said : undefined
}

/** The next turn's prompt of an agent that stopped to wait for these answers. */
export function answersPrompt(
  answered: readonly Question[],
  phase: "planning" | "working",
): string {
  const parts = answered.map((question) => {
    const { kind, text, answer } = question
    if (kind === "permission")
      return isAllowed(answer ?? "")
        ? `You asked: ${text}\nYou may. Go on with it.`
        : `You asked: ${text}\nYou may not${reasonOf(answer)}. Find another way, or say that you are stuck.`
    return `You asked: ${text}\nThe answer: ${answer}`
  })
  const goOn = phase === "planning" ? GO_ON_PLANNING : "Go on with your task."
  return ["A person has answered you.", ...parts, goOn].join("\n\n")
}

const GO_ON_PLANNING =
  "Go on with your plan, and still change nothing: your last message is to be the plan, whole."

/** The same for an agent that has not asked: those before it on this task have. */
export function earlierAnswers(answered: readonly Question[]): string {
  const parts = answered.map(({ kind, text, answer }) => {
    const may = isAllowed(answer ?? "") ? "You may." : `You may not${reasonOf(answer)}.`
    return `Asked: ${text}\n${kind === "permission" ? may : `The answer: ${answer}`}`
  })
  return ["What was asked on this task, and what a person answered:", ...parts].join("\n\n")
}

function reasonOf(answer: string | null): string {
  const reason = answer?.slice(DENY.length + 1).trim() ?? ""
  return reason === "" ? "" : `: ${reason}`
}
