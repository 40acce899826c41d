/** Claude Code reviews the work of a command, and answers with the tool `review`. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi, type Script } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

let api: MessagesApi
let script: Script
beforeAll(async () => {
  api = await MessagesApi.start((ask) => script(ask))
})
afterAll(() => api[Symbol.asyncDispose]())

test("Claude Code reads the commits, and its tool `review` sends work back, then lets it land [47.1, 47.2]", async () => {
  await using fleet = new Fleet()
  fleet.configure({
    repo: { gate: false },
    sh: { review: { by: "claude" } },
    agents: { claude: {} },
  })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  fleet.step(2, 'cat > "$STEPS/told"; echo better > work.txt')
  const read: string[] = []
  script = ({ step, tools, toolResults }) => {
    if (!tools.includes("Bash")) return { text: "A title" }
    read.push(...toolResults)
    if (step === 0) return { tools: [bash("cat work.txt")] }
    const isBetter = read.some((text) => text.includes("better"))
    const verdict = isBetter ? "approve" : "changes"
    const input = { verdict, comments: isBetter ? "" : "Say it better." }
    if (step === 1) return { tools: [{ name: "mcp__coppice__review", input }] }
    return { text: "That is my verdict." }
  }
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 1 } })
  expect(task.reviews.map(({ state }) => state)).toEqual(["changes", "approved"])
  expect(fleet.noted("told").join("\n")).toContain("Say it better.")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("better")
})
