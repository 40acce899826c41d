/** `ask`: asks a person a question, and waits a while for the answer. */
import { askPerson, QUESTIONS_MAX } from "../../jobs/ask-person.ts"
import { DaemonError } from "../errors.ts"
import { turnIsOver, type Verb } from "./verb.ts"

export const ask: Verb<"ask"> = async ({ fleet, readTask, input, untilGone }) => {
  const task = readTask()
  const { question: text, choices } = input
  const asked = { task: task.id, kind: "question", text, choices, subject: null } as const
  const { askWaitMs: waitMsMax } = fleet.agentConfig(task.agent).session
  const end = await askPerson(fleet, asked, { waitMsMax, signal: untilGone() })
  if (end.kind === "refused") throw turnIsOver()
  if (end.kind === "tooMany")
    throw new DaemonError("agent.busy", `${QUESTIONS_MAX} of your questions are open already.`)
  return end.kind === "answered" ? end : { kind: "later", answer: null }
}
