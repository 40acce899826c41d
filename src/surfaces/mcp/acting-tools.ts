/** The tools of `coppice mcp` that add and move work. All of it still passes the gate, and an approval where one is asked for. */
import { z } from "zod"
import type { TaskAction } from "../../api/client/client.ts"
import { PROMPT_CHARS_MAX, TEXT_CHARS_MAX } from "../../base/input-bounds.ts"
import { briefly, followed, line, ref } from "./task-brief.ts"
import { tool } from "./tool.ts"

const words = z.string().min(1).max(TEXT_CHARS_MAX)

export const ACTING = {
  start_task: tool({
    rights: "acts",
    about:
      "Gives an agent a task in a worktree of its own, and answers at once. Its work lands when the " +
      "gate passes. It spends the person's tokens.",
    input: {
      prompt: z
        .string()
        .min(1)
        .max(PROMPT_CHARS_MAX)
        .describe("Everything that the agent must know: it does not see this conversation"),
      title: line.optional(),
      agent: line
        .optional()
        .describe("An agent of coppice.yml, else a known program such as codex"),
      repo: line.optional().describe("A repository of the home; default: the current one"),
      review: z.boolean().default(false).describe("The person approves the work before it lands"),
      after: z.array(line).optional().describe("Tasks to land after"),
      on: line.optional().describe("A task whose work it starts from; it lands after that one"),
    },
    run: async ({ client, cwd }, { prompt, title, agent, repo, review, after, on }) => {
      const { task, taken } = await client.create({
        prompt,
        cwd,
        ...(title !== undefined && { title }),
        ...(agent !== undefined && { agent }),
        ...(repo !== undefined && { repos: [repo] }),
        ...(review && { land: "approve" }),
        ...(after !== undefined && { after }),
        ...(on !== undefined && { on }),
      })
      return { ...followed(task), taken }
    },
  }),

  land: tool({
    rights: "acts",
    about:
      "Lands a branch, a worktree or a task, and answers at once. Commits only; the gate must pass. " +
      "Work that waits for an approval is refused.",
    input: {
      ref: line.describe("A task, else a branch, else the path of a worktree (`.` is the current)"),
      target: line.optional().describe("Branch to land on; default: the repository's target"),
      title: line.optional().describe("Title of the landing of a branch or worktree"),
    },
    run: async ({ client, cwd }, { ref, target, title }) => {
      const { task, taken } = await client.land({
        ref,
        cwd,
        approve: false,
        ...(target !== undefined && { target }),
        ...(title !== undefined && { title }),
      })
      return { ...followed(task), taken }
    },
  }),

  say: tool({
    rights: "acts",
    about: "Sends a task's agent a message, for its next turn.",
    input: { task: ref, text: words },
    run: async ({ client }, { task, text }) => followed(await client.say(task, { text })),
  }),

  pause_task: tool({
    rights: "acts",
    about: "Stops a task until resume_task.",
    input: { task: ref },
    run: async ({ client }, { task }) => ({ task: briefly(await client.pause(task)) }),
  }),

  resume_task: goingOn("resume", "Continues a paused task, or a complete one with more to do."),
  restart_task: goingOn(
    "restart",
    "Starts a stopped task again: a fresh conversation in the same worktree.",
  ),
}

function goingOn(action: TaskAction & ("resume" | "restart"), about: string) {
  return tool({
    rights: "acts",
    about,
    input: { task: ref, text: words.optional().describe("More to do, or to know") },
    run: async ({ client }, { task, text }) =>
      followed(await client[action](task, text === undefined ? {} : { text })),
  })
}
