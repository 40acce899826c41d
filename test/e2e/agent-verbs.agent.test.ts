/** Claude Code reports, asks and is permitted, through the whole program; Codex is permitted. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi, type Script } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"
import { SCRIPTED_AGENTS } from "../support/scripted-agents.ts"

let api: MessagesApi
let script: Script
beforeAll(async () => {
  api = await MessagesApi.start((ask) => script(ask))
})
afterAll(() => api[Symbol.asyncDispose]())

function claudeFleet(claude: object): Fleet {
  const fleet = new Fleet()
  fleet.configure({ repo: { gate: false }, agents: { claude } })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  return fleet
}

const ASK = {
  questions: [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "red", description: "r" },
        { label: "blue", description: "b" },
      ],
    },
  ],
}

test("a key that Claude Code prints and says is stored nowhere, nor are its questions and permissions with it [29.5]", async () => {
  const key = "ghp_0123456789abcdef"
  const env = { DEPLOY_TOKEN: key }
  await using fleet = claudeFleet({ env, permissions: { ask: ["Bash(touch *)"] } })
  const shown: string[] = []
  script = ({ step, toolResults }) => {
    shown.push(...toolResults)
    if (step === 0)
      return { text: `I print ${key}.`, tools: [bash('echo "it is $DEPLOY_TOKEN"; exit 3')] }
    if (step === 1) return { tools: [bash(`touch ${key}`)] }
    return { text: `It was ${key}.` }
  }
  const id = await fleet.start("print it", "--agent", "claude")
  await fleet.event(({ type }) => type === "question.asked")
  await fleet.coppice("answer", id, "allow")
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete" })
  expect(shown.join("\n")).toContain(`it is ${key}`) // the agent itself has its key
  const { lines } = await fleet.client.log(id)
  const texts = lines.map(({ text }) => text).join("\n")
  expect(texts).toContain("I print [redacted].")
  expect(texts).toContain("It was [redacted].")
  expect(texts).toContain("it is [redacted]")
  expect(texts).toContain("Bash: touch [redacted]")
  const { stdout } = await fleet.coppice("logs", id)
  expect(stdout).toMatch(/▸ Bash: echo .*\n {2}Exit code 3\n {2}it is \[redacted\]\n/)
  const stored = globSync(join(fleet.home.path, "state/coppice/*/coppice.db*"))
  const bytes = stored.map((path) => readFileSync(path, "latin1")).join("")
  expect(bytes).toContain("I print [redacted].")
  expect(bytes).not.toContain(key)
})

test("the verbs are tools of the agent, its question goes to a person, and the answer comes back", async () => {
  await using fleet = claudeFleet({})
  const results: string[] = []
  const offered: string[] = []
  script = ({ step, tools, toolResults }) => {
    results.push(...toolResults)
    offered.push(...tools)
    if (!tools.includes("Bash")) return { text: "A title" }
    if (step === 0)
      return { tools: [{ name: "mcp__coppice__progress", input: { text: "begins" } }] }
    if (step === 1) return { tools: [{ name: "AskUserQuestion", input: ASK }] }
    if (step === 2) return { tools: [bash("echo blue > colour.txt")] }
    if (step === 3) return { tools: [{ name: "mcp__coppice__done", input: { summary: "blue" } }] }
    return { text: "Painted." }
  }
  const id = await fleet.start("Paint it.", "--agent", "claude")
  await fleet.event(({ type }) => type === "question.asked")
  await fleet.json(TaskDocument, ["answer", "-d", id, "blue"])
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  for (const verb of ["brief", "progress", "ask", "check", "done", "stuck", "rebase_to_main"])
    expect(offered).toContain(`mcp__coppice__${verb}`)
  expect(results[0]).toContain('"heard": true')
  expect(results[1]).toContain("blue")
  expect(results.at(-1)).toContain('"declared": true')
  expect(fleet.repo.git("show", "main:colour.txt")).toBe("blue")
})

test("a rule forbids, a person permits, and a long wait is a next turn of the same conversation [9.6, 9.7]", async () => {
  const permissions = { ask: ["Bash(touch *)"], deny: ["Bash(rm *)"] }
  await using fleet = claudeFleet({ permissions, session: { ask_wait: "1s" } })
  const results: string[] = []
  script = ({ step, toolResults, text }) => {
    results.push(...toolResults)
    if (step === 0) return { tools: [bash("rm README.md")] }
    if (step === 1) return { tools: [bash("touch asked.txt")] }
    if (text.includes("You may")) return { tools: [bash("touch asked.txt")] }
    return { text: "I stop." }
  }
  const id = await fleet.start("Touch it.", "--agent", "claude")
  await fleet.event(({ type }) => type === "session.ended")
  const waiting = await fleet.json(TaskDocument, ["show", id])
  expect(waiting).toMatchObject({ state: "working", attention: true, landing: null })
  expect(waiting.reason?.text).toMatch(/^use Bash: touch asked.txt\n {2}"description": ".*"$/)
  expect(results[0]).toContain("forbids")
  await fleet.json(TaskDocument, ["answer", "-d", id, "allow"])
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", usage: { turns: 2 } })
  expect(task.jobs[0]?.sessions).toEqual([task.sessionId])
  expect(fleet.repo.git("show", "--name-only", "--format=", "main")).toBe("asked.txt")
  expect(fleet.repo.git("show", "main:README.md")).not.toBe("")
})

test("rules and a person permit what Codex does, in the same conversation [9.7]", async ({
  skip,
}) => {
  const { isThere, start } = SCRIPTED_AGENTS.codex
  if (!isThere) return skip("codex was not fetched: `npm run test:agents` does that")
  await using fleet = new Fleet()
  const permissions = { ask: ["Bash(touch *)"], deny: ["Bash(rm *)"] }
  const worker = { runtime: "codex", permissions, session: { ask_wait: "1s" } }
  fleet.configure({ repo: { gate: false }, agents: { worker } })
  const steps = ["rm README.md", "touch asked.txt", undefined, "touch asked.txt"]
  await using codex = await start(fleet, () => steps.shift())
  const id = await fleet.start("Touch it.", "--agent", "worker")
  await fleet.event(({ type }) => type === "session.ended")
  const waiting = await fleet.json(TaskDocument, ["show", id])
  expect(waiting).toMatchObject({ state: "working", attention: true, landing: null })
  expect(waiting.reason?.text).toBe("use Bash: touch asked.txt")
  const told = codex.conversations().at(-1)
  expect(told).toContain("The configuration forbids this use of Bash.")
  expect(told).toContain("No person can allow this now.")
  await fleet.json(TaskDocument, ["answer", "-d", id, "allow"])
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", usage: { turns: 2 } })
  expect(fleet.repo.git("show", "--name-only", "--format=", "main")).toBe("asked.txt")
})
