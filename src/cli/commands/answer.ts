/** `answer <task> [answer]`: answers a question of a task's agent, or shows it. */
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { questionLines } from "../format/questions.ts"
import { taskState } from "../format/state.ts"
import { countValue, oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task> [answer]",
  options: {
    question: {
      type: "string",
      value: "<number>",
      about: "Answer this question, if there are several",
    },
  },
  details: [
    "Without an answer, prints the questions. If a question has choices, give the number of one.",
    "Answer a permission with `allow` or `deny`. `-` reads the answer from stdin.",
  ].join("\n"),

  async run({ connect, output, json, readStdin }, [ref, given, ...rest], values) {
    if (rest.length > 0)
      throw new UsageError("`answer` takes a task and one answer.", ["Put it in quotes."])
    const task = oneTask(ref === undefined ? [] : [ref], "answer")
    const number = countValue(values, "question")
    const client = await connect()
    const answer = given === "-" ? await readStdin() : given
    if (!answer?.trim()) {
      const asked = await client.questions(task)
      if (json) output.document(asked)
      else output.lines(questionLines(asked))
      return 0
    }
    const question = number === undefined ? {} : { question: number }
    const answered = await client.answer(task, { answer, ...question })
    if (json) output.document(answered)
    else output.line(taskState(output, answered))
    return 0
  },
}
