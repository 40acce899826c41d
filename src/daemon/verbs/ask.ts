/** `ask`: asks a person a question, and waits a while for the answer. */
import { type AnsweredDocument, ToAsk } from "../../core/wire/agent.ts"
import { askPerson, QUESTIONS_MAX } from "../../jobs/ask-person.ts"
import { DaemonError } from "../errors.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const ask = verb({
  name: "ask",
  about:
    "Ask the person who gave you the task. Waits a while for the answer. If the result is `later`, " +
    "end your turn at once: you get the answer when there is one. Nothing lands before.",
  input: ToAsk,
  run: async ({ fleet, readTask, input, untilGone }): Promise<AnsweredDocument> => {
    const task = readTask()
    const { question: text, choices } = input
    const asked = { task: task.id, kind: "question", text, choices, subject: null } as const
    const { askWaitMs: waitMsMax } = fleet.agentConfig(task.agent).session
    const end = await askPerson(fleet, asked, { waitMsMax, signal: untilGone() })
    if (end.kind === "refused") throw turnIsOver()
    if (end.kind === "tooMany")
      throw new DaemonError("agent.busy", `${QUESTIONS_MAX} of your questions are open already.`)
    return end.kind === "answered" ? end : { kind: "later", answer: null }
  },
})
