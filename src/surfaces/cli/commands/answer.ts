/** `answer <task> [answer]`: answers a question of a task's agent, or shows it. */
import { actOn } from "../act-on-tasks.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { questionLines } from "../format/questions.ts"
import { countValue, oneTask } from "../operands.ts"
import { DETACH } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task> [answer]",
  options: {
    question: {
      type: "string",
      value: "<number>",
      about: "Answer this question, if there are several",
    },
    detach: DETACH,
  },
  details: [
    "Without an answer, prints the questions. If a question has choices, answer with a number.",
    "Answer a permission with `allow` or `deny`. `-` reads the answer from stdin.",
    "The answer to the last question of a stuck task restarts it, unless its budget is used up.",
  ].join("\n"),

  async run(shell, [ref, given, ...rest], values) {
    const { connect, output, json, readStdin } = shell
    if (rest.length > 0)
      throw new UsageError("`answer` takes a task and one answer.", ["Put it in quotes."])
    const task = oneTask(ref === undefined ? [] : [ref], "answer")
    const number = countValue(values, "question")
    const answer = given === "-" ? await readStdin() : given
    if (!answer?.trim()) {
      const asked = await (await connect()).questions(task)
      if (json) output.document(asked)
      else output.lines(questionLines(asked))
      return 0
    }
    const question = number === undefined ? {} : { question: number }
    return actOn(shell, {
      refs: [task],
      act: (client, ref) => client.answer(ref, { answer, ...question }),
      watches: values["detach"] !== true,
    })
  },
}
