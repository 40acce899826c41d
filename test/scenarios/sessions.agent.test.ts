/** Scenarios S with Claude Code: what a conversation still knows, and what a fresh one is told. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

let api: MessagesApi
beforeAll(async () => {
  api = await MessagesApi.start(({ text, toolResults }) => {
    const [, name] = /\bWRITE (\w+)/.exec(text) ?? []
    return name && toolResults.length === 0 ? { tools: [bash(`echo x > ${name}`)] } : undefined
  })
})
afterAll(() => api[Symbol.asyncDispose]())

test("S19, S21, S25: a conversation outlives its worktree and the daemon; where its program lost it a fresh one is briefed [16.3, 16.4]", async () => {
  await using fleet = new Fleet()
  const repo = { gate: false }
  fleet.configure({ repo, agents: { claude: {} } })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  const run = (prompt: string, ...args: string[]) =>
    fleet.json(TaskDocument, ["run", prompt, "--agent", "claude", ...args])
  const told = () => api.asks.at(-1)?.conversation ?? ""

  const first = await run("WRITE one please.", "--work-item", "gh-1")
  expect(first).toMatchObject({ state: "complete", repos: [{ worktree: null }] })
  await fleet.coppice("down")
  const second = await run("WRITE two please.", "--work-item", "gh-1")
  expect(second.sessionId).toBe(first.sessionId)
  for (const words of ["echo x > one", "This is a new task on the work item", "WRITE two"])
    expect(told()).toContain(words)
  const other = await run("WRITE other please.", "--work-item", "gh-2")
  expect(told()).not.toContain("echo x > one")

  const env = { CLAUDE_CONFIG_DIR: `${fleet.home.path}/elsewhere` }
  fleet.configure({ repo, agents: { claude: { env } } })
  await fleet.json(TaskDocument, ["resume", "-d", other.id, "WRITE more please."])
  const renewed = await fleet.until(other.id)
  expect(renewed).toMatchObject({ state: "complete", jobs: [{}, {}] })
  expect(renewed.sessionId).not.toBe(other.sessionId)
  for (const words of ["WRITE other", "Another agent worked on this before you", "WRITE more"])
    expect(told()).toContain(words)
  const { stdout: log } = await fleet.coppice("logs", other.id)
  expect(log).toContain("a new one begins")
  expect(log).not.toContain("does not know")
  expect(fleet.log().length).toBeGreaterThan(4)
})
