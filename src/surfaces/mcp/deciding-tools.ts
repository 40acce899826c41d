/**
 * The tools of `coppice mcp` that carry a person's decision. The person sees it in a dialog first, in full.
 *
 * The effect is bound to the things that the dialog showed: an approval to a commit, an answer to the number of a
 * question, an undo to a landing.
 */
import { z } from "zod"
import type { DiffDocument } from "../../api/wire/landings.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { TEXT_CHARS_MAX } from "../../base/input-bounds.ts"
import { lastWords, shellWord } from "../../base/text/shell-word.ts"
import { NoSuchQuestionError, NotAwaitingApprovalError } from "./errors.ts"
import { briefly, followed, line, ref } from "./task-brief.ts"
import { tool } from "./tool.ts"

const words = z.string().min(1).max(TEXT_CHARS_MAX)
/** A person judges a list of files; longer ones are judged in `coppice diff`. */
const FILES_MAX = 40

export const DECIDING = {
  approve: tool({
    rights: "decides",
    about: "Approves exactly the commit that the person saw. It lands when the gate passes.",
    input: {
      task: ref,
      head: z
        .string()
        .regex(/^[0-9a-f]{40,64}$/)
        .describe("The whole id of the commit in review, as show_task gave it"),
    },
    run: async ({ client, confirm }, { task, head }) => {
      const shown = await client.show(task)
      const repo = shown.repos.find((one) => one.head === head)
      if (shown.state !== "in_approval" || !repo) throw new NotAwaitingApprovalError(shown.id, head)
      const { repos } = await client.diff(shown.id, { repo: repo.name })
      await confirm({
        lines: [
          `Approve commit ${head} of ${named(shown)}? It will land on ${repo.target} of ${repo.name}.`,
          ...changes(repos[0], head),
          `The whole change: coppice diff ${shown.id}`,
        ],
        command: `coppice approve ${shown.id} --head ${head.slice(0, 12)}`,
      })
      return followed(await client.approve(shown.id, { repo: repo.name, head }))
    },
  }),

  reject: tool({
    rights: "decides",
    about: "Sends a plan, or work in review, back to its agent with feedback.",
    input: { task: ref, feedback: words },
    run: async ({ client, confirm }, { task, feedback }) => {
      const shown = await client.show(task)
      await confirm({
        lines: [
          `Send the work of ${named(shown)} back to its agent, with these words?`,
          ...quoted(feedback),
        ],
        command: `coppice reject ${shown.id} ${lastWords(feedback)}`,
      })
      return followed(await client.reject(shown.id, { feedback }))
    },
  }),

  answer: tool({
    rights: "decides",
    about: "Answers a question of a task's agent, or its request to use a tool, for the person.",
    input: {
      task: ref,
      question: z.int().positive().describe("Its number, as show_task gave it"),
      answer: words.describe("`allow` or `deny` for a permission; one of the choices; or words"),
    },
    run: async ({ client, confirm }, { task, question, answer }) => {
      const shown = await client.show(task)
      const { questions } = await client.questions(shown.id)
      const asked = questions.find(({ id }) => id === String(question))
      if (!asked) throw new NoSuchQuestionError(shown.id, question)
      const choices = asked.choices.map((choice, at) => `  ${at + 1}. ${choice}`)
      await confirm({
        lines: [
          `Answer the agent of ${named(shown)} with these words?`,
          ...quoted(answer),
          "It asks:",
          ...quoted(asked.text),
          ...choices,
        ],
        // The command shows all of a question for which a dialog may have no room.
        command: `coppice answer ${shellWord(shown.id)}`,
      })
      return followed(await client.answer(shown.id, { answer, question }))
    },
  }),

  undo: tool({
    rights: "decides",
    about:
      "Reverts a landing by another one, which passes the same gate. plan_undo has its number.",
    input: { landing: z.int().positive().describe("The landing that plan_undo showed") },
    run: async ({ client, confirm }, { landing }) => {
      const preview = await client.planUndo(`landing:${landing}`)
      await confirm({
        lines: [
          `Revert landing ${preview.landing}, of task ${preview.task} (${preview.title})?`,
          ...preview.repos.flatMap(({ name, target, commits, subjects, files, added, removed }) => [
            `On ${target} of ${name}: commits ${commits}, files ${files}, lines +${added} -${removed}`,
            ...subjects.map((subject) => `  ${subject}`),
          ]),
        ],
        command: `coppice undo landing:${preview.landing}`,
      })
      return followed(await client.undo(`landing:${preview.landing}`))
    },
  }),

  cancel_task: tool({
    rights: "decides",
    about: "Gives a task up. Its work is saved first; its agent ends.",
    input: { task: line.describe("The task's id") },
    run: async ({ client, confirm }, { task }) => {
      const shown = await client.show(task)
      await confirm({
        lines: [`Give up ${named(shown)}? It is ${shown.state}. Its work is saved first.`],
        command: `coppice cancel ${shellWord(shown.id)}`,
      })
      return { task: briefly(await client.cancel(shown.id)) }
    },
  }),
}

/** Words of an agent or a model, which must not look like lines of the dialog. */
const quoted = (text: string): string[] => text.split("\n").map((row) => `> ${row}`)

const named = ({ id, title }: TaskDocument) => `task ${id} (${title})`

/** @param head is shown with its files only if the diff is of exactly that commit. */
function changes(repo: DiffDocument["repos"][number] | undefined, head: string): string[] {
  if (!repo || repo.to !== head) return ["Its worktree has changed since: the diff shows more."]
  const rows = repo.files.slice(0, FILES_MAX).map(({ path, status, added, removed }) => {
    return `  ${status} ${path} +${added ?? "?"} -${removed ?? "?"}`
  })
  const more = repo.filesInAll - rows.length
  return [`From ${repo.from}:`, ...rows, ...(more > 0 ? [`  … ${more} more files`] : [])]
}
