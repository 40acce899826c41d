/** The tools of `coppice mcp` that only read: tasks, diffs, queues, previews. */
import { z } from "zod"
import type { DiffDocument } from "../../api/wire/landings.ts"
import type { TaskLinesDocument } from "../../api/wire/tasks.ts"
import { beginningOf } from "./result.ts"
import { line, ref } from "./task-brief.ts"
import { tool } from "./tool.ts"
import { WAIT_S_MAX, waitForTask } from "./wait-for-task.ts"

const TASKS_USUAL = 20
/** More than these are a search: `state` or the program's person narrows it. */
const TASKS_MAX = 100
/** The beginning of a long text in a list. */
const TEXT_CHARS_MAX = 300
const LINES_USUAL = 20
/** A model that wants more of a log reads it with `coppice logs`. */
const LINES_MAX = 100
/** One patch of all repositories has to fit into one result. */
const PATCH_CHARS_MAX = 15_000
/** The first files of a diff; the number of all is there too. */
const FILES_MAX = 60

const work = {
  ref: line.describe("A task, else a branch, else the path of a worktree (`.` is the current one)"),
  target: line.optional().describe("Branch to land on; default: the repository's target"),
}

export const READING = {
  list_tasks: tool({
    rights: "reads",
    about: "Lists tasks: those that need the person first, with the reason. Then the newest.",
    input: {
      only: z
        .enum(["needs_you", "under_way", "done"])
        .optional()
        .describe("Default: all. `needs_you` is what waits for the person"),
      limit: z.int().min(1).max(TASKS_MAX).default(TASKS_USUAL),
    },
    run: async ({ client }, { only, limit }) => {
      const { tasks, unreadable } = await client.listLines()
      const wanted = tasks.filter((task) => only === undefined || groupOf(task) === only)
      const sorted = wanted.toReversed().sort((a, b) => Number(b.attention) - Number(a.attention))
      const more = Math.max(0, wanted.length - limit)
      return { home: client.home, tasks: sorted.slice(0, limit).map(listed), more, unreadable }
    },
  }),

  show_task: tool({
    rights: "reads",
    about:
      "Shows a task: state, why it waits and what helps, open questions, its agent's last log.",
    input: {
      task: ref,
      log: z.int().min(0).max(LINES_MAX).default(LINES_USUAL).describe("Last lines of the log"),
    },
    run: async ({ client }, { task, log }) => {
      const { jobs: _, sessionId: __, ...shown } = await client.show(task)
      const [why, { questions }, { lines }] = await Promise.all([
        client.why(shown.id),
        client.questions(shown.id),
        log > 0 ? client.log(shown.id, { last: log }) : { lines: [] },
      ])
      const told = lines.map(({ at, kind, text }) => ({
        at,
        kind,
        text: beginningOf(text, TEXT_CHARS_MAX),
      }))
      return { task: shown, why, questions, log: told }
    },
  }),

  diff: tool({
    rights: "reads",
    about: "Shows what a task changes or changed, uncommitted files included.",
    input: {
      task: ref,
      repo: line.optional().describe("Only this repository"),
      offset: z.int().min(0).default(0).describe("Where the patch begins, in characters"),
    },
    run: async ({ client }, { task, repo, offset }) => {
      const found = await client.diff(task, repo === undefined ? {} : { repo })
      const charsMax = Math.floor(PATCH_CHARS_MAX / found.repos.length)
      return { ...found, repos: found.repos.map((one) => part(one, offset, charsMax)) }
    },
  }),

  plan_landing: tool({
    rights: "reads",
    about:
      "Says what `land` would do: commits, conflicts, gate, effect on checkouts. Needs a daemon.",
    input: work,
    run: ({ client, cwd }, { ref, target }) =>
      client.planLanding({ ref, cwd, ...(target !== undefined && { target }) }),
  }),

  plan_undo: tool({
    rights: "reads",
    about: "Says what `undo` would revert, with the number of the landing that `undo` needs.",
    input: { task: ref },
    run: ({ client }, { task }) => client.planUndo(task),
  }),

  wait_task: tool({
    rights: "reads",
    about: "Waits until a task is done or needs the person; says if it is still under way.",
    input: { task: ref, seconds: z.int().min(1).max(WAIT_S_MAX).default(WAIT_S_MAX) },
    run: waitForTask,
  }),
}

type Line = TaskLinesDocument["tasks"][number]

function groupOf({ attention, state }: Line): "needs_you" | "under_way" | "done" {
  if (attention) return "needs_you"
  return state === "complete" || state === "cancelled" ? "done" : "under_way"
}

function listed({ id, title, agent, state, attention, updatedAt, kept, ...task }: Line) {
  const why = task.question ?? task.reason?.text ?? task.landing?.reason ?? task.last
  return {
    id,
    title: beginningOf(title, TEXT_CHARS_MAX),
    agent,
    state,
    needsYou: attention,
    updatedAt,
    ...(kept && { kept: "its work is on its branch and has not landed" }),
    asks: task.question !== null,
    why: why === null ? null : beginningOf(why, TEXT_CHARS_MAX),
  }
}

function part(one: DiffDocument["repos"][number], offset: number, charsMax: number) {
  const { text, files, filesInAll, ...facts } = one
  const shown = files.slice(0, FILES_MAX).map(({ path, status, added, removed }) => ({
    path,
    status,
    added,
    removed,
  }))
  const next = offset + charsMax
  return {
    ...facts,
    filesInAll,
    files: shown,
    patch: text.slice(offset, next),
    nextOffset: next < text.length ? next : null,
  }
}
