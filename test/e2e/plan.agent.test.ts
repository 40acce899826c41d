/** Claude Code writes a plan first, in which it can change nothing, and then carries it out. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

const fleet = new Fleet()
const path = (name: string) => join(fleet.home.path, name)
const write = (name: string) => ({
  name: "Write",
  input: { file_path: path(name), content: "x\n" },
})
const results: string[] = []
const prompts: string[] = []
let api: MessagesApi
beforeAll(async () => {
  api = await MessagesApi.start(({ step, tools, texts, toolResults }) => {
    if (!tools.includes("Bash")) return { text: "A title" }
    results.push(...toolResults)
    prompts.push(texts.join("\n"))
    if (step === 0) return { tools: [write("early.txt")] }
    if (step === 1) return { text: "First greet, then stop." }
    if (step === 2) return { tools: [write("late.txt"), bash("echo hi > greeting.txt")] }
    return { text: "Greeted." }
  })
})
afterAll(async () => {
  await fleet[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

test("with `plan: auto` it is refused to write, its last message is the plan, and it goes on in the same conversation [16.1]", async () => {
  fleet.configure({ repo: { gate: false }, agents: { claude: { plan: "auto" } } })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  const id = await fleet.start("Greet people.", "--agent", "claude")
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(task.plan).toMatchObject({ mode: "auto", text: "First greet, then stop." })
  expect(task.jobs).toMatchObject([{ sessions: [task.sessionId] }])
  expect(prompts[0]).toContain("write a plan first")
  expect(results[0]).toContain("Change nothing yet")
  expect(prompts[2]).toContain("Your plan is on record. Carry it out now")
  expect([existsSync(path("early.txt")), existsSync(path("late.txt"))]).toEqual([false, true])
  expect(fleet.repo.git("show", "main:greeting.txt")).toBe("hi")
  const { events } = await fleet.client.events({ task: id })
  const states = events.flatMap(({ type, data }) =>
    type.startsWith("task.") && "to" in data ? [data["to"]] : [],
  )
  expect(states).toEqual(["planning", "planning_complete", "working", "merging", "complete"])
})
