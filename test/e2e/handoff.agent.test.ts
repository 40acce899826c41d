/** C22: conversations that are full hand over to fresh ones, in the same job and worktree. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { isThere, listMarked } from "../support/marked.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

/** `HANDOFFS=30` makes 30 of them; each starts the program again. */
const HANDOFFS = Number(process.env["HANDOFFS"] ?? 3)
const TEST_MS_MAX = 60_000 + HANDOFFS * 10_000
/** More than nine tenths of the largest context that there is. */
const FULL = { input_tokens: 920_000 }

let api: MessagesApi
/** The first prompt of each conversation. */
const prompts: string[] = []
beforeAll(async () => {
  api = await MessagesApi.start(({ step, tools, prompt, conversation }) => {
    if (!tools.includes("Bash")) return { text: "A title" }
    if (step === 0) {
      prompts.push(prompt)
      const count = `echo "$PPID $PWD" >> "$STEPS/at-work"; echo ${prompts.length} >> work.txt`
      return { tools: [bash(count)], usage: prompts.length <= HANDOFFS ? FULL : {} }
    }
    // How full it is stands in what the model said before: the next tool call is when it is told.
    if (step === 1) return { tools: [bash("true")] }
    const isAsked = conversation.includes("Your context is nearly full")
    return { text: isAsked ? `HANDOFF ${prompts.length}: add more lines` : "All done." }
  })
})
afterAll(() => api[Symbol.asyncDispose]())

test(`C22: after ${HANDOFFS} handoffs there is one agent process at a time, one job, one worktree`, {
  timeout: TEST_MS_MAX,
}, async () => {
  await using fleet = new Fleet()
  fleet.configure({ repo: { gate: false }, agents: { claude: { env: { STEPS: fleet.steps } } } })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  const id = await fleet.start("Write lines.", "--agent", "claude")
  const after: number[] = []
  for (let n = 0; n < HANDOFFS; n++)
    after.push(
      (await fleet.event(({ type }) => type === "session.handed_over", after.at(-1) ?? 0)).seq,
    )
  const task = await fleet.until(id)

  expect(task).toMatchObject({ state: "complete", usage: { turns: HANDOFFS + 1 } })
  expect(task.jobs).toHaveLength(1)
  expect(new Set(task.jobs[0]?.sessions).size).toBe(HANDOFFS + 1)
  for (const [at, prompt] of prompts.slice(1).entries()) {
    expect(prompt).toContain("Write lines.")
    expect(prompt).toContain(`HANDOFF ${at + 1}: add more lines`)
  }
  const places = readFileSync(join(fleet.steps, "at-work"), "utf8").trim().split("\n")
  expect(new Set(places.map((line) => line.split(" ")[1])).size).toBe(1)
  expect(new Set(places.map((line) => line.split(" ")[0])).size).toBe(HANDOFFS + 1)
  const lines = Array.from({ length: HANDOFFS + 1 }, (_, at) => String(at + 1))
  expect(fleet.repo.git("show", "main:work.txt").split("\n")).toEqual(lines)
  await fleet.event(({ type }) => type === "session.ended", after.at(-1) ?? 0)
  const events = (await fleet.client.events({ task: id })).events.map(({ type }) => type)
  expect(events.filter((type) => type === "session.ended")).toHaveLength(HANDOFFS + 1)
  await fleet.coppice("down")
  expect(listMarked(fleet.home.path).filter(isThere)).toEqual([])
  expect(TaskDocument.parse(task).attention).toBe(false)
})
