/** Claude Code through the whole program: killed in the middle, refused by its API, handed back. */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { isThere, listMarked } from "../support/marked.ts"
import { MessagesApi, type Script } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"
import { waitFor } from "../support/wait-for.ts"

const ORPHAN_MS_MAX = 5_000
const PLACE = 'pwd >> "$STEPS/places"'

/** The model does its first step, says nothing for ever, and goes on once it was interrupted. */
const interrupted: Script = ({ step, conversation, toolResults }) => {
  if (step === 0) return { text: "First.", tools: [bash(`${PLACE}; echo one > one.txt`)] }
  if (!conversation.includes("You were interrupted")) return new Promise(() => {})
  if (toolResults.length > 0 && conversation.includes("echo two")) return { text: "All done." }
  return { tools: [bash(`${PLACE}; echo two > two.txt`)] }
}

let api: MessagesApi
let script: Script
beforeAll(async () => {
  api = await MessagesApi.start((ask) => script(ask))
})
afterAll(() => api[Symbol.asyncDispose]())

function claudeFleet(gate: string | false): Fleet {
  const fleet = new Fleet()
  const env = { STEPS: fleet.steps }
  fleet.configure({ repo: { gate }, agents: { claude: { env } } })
  Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
  return fleet
}

test.runIf(process.platform === "linux")(
  "an agent that is killed in mid-conversation goes on with it in the same worktree",
  async () => {
    await using fleet = claudeFleet(false)
    script = interrupted
    const id = await fleet.start("Write two files.", "--agent", "claude")
    await waitFor("the second question", () => api.asks.length >= 2)
    const before = await fleet.client.show(id)
    const orphans = listMarked(fleet.home.path)
    expect(orphans.length).toBeGreaterThan(0)
    await fleet.kill()
    await waitFor("the end of Claude", () => !orphans.some(isThere), ORPHAN_MS_MAX)
    const asked = api.asks.length

    const task = await fleet.until(id)
    expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
    expect(task.sessionId).toBe(before.sessionId)
    expect(task.jobs).toHaveLength(1)
    const resumed = api.asks[asked]!
    for (const part of ["Write two files.", "echo one", "You were interrupted"])
      expect(resumed.conversation).toContain(part)
    const { worktree } = before.repos[0]!
    expect(fleet.noted("places")).toEqual([worktree, worktree])
    expect(fleet.repo.git("show", "--name-only", "--format=", "main")).toBe("one.txt\ntwo.txt")
  },
)

test.runIf(process.platform === "linux")(
  "a message for a turn that runs reaches it at once, and again when it is repeated [16.7] [16.9]",
  async () => {
    await using fleet = claudeFleet(false)
    const hold = bash('echo one > one.txt; mkfifo "$STEPS/gate"; cat "$STEPS/gate"')
    script = ({ step, conversation }) => {
      if (step === 0) return { tools: [hold] }
      if (!conversation.includes("You were interrupted")) return new Promise(() => {})
      return { text: "All done." }
    }
    const asked = api.asks.length
    const id = await fleet.start("Write a file.", "--agent", "claude")
    const gate = join(fleet.steps, "gate")
    await waitFor("the tool", () => existsSync(gate))
    await fleet.json(TaskDocument, ["say", "-d", "--now", id, "Mind the gap."])
    await writeFile(gate, "go\n")
    await waitFor("the second question", () => api.asks.length === asked + 2)
    expect(api.asks.at(-1)?.conversation).toContain("Mind the gap.")
    await fleet.json(TaskDocument, ["say", "-d", "--now", id, "And the step."])
    await fleet.kill()

    const task = await fleet.until(id)
    expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
    expect(api.asks.length).toBe(asked + 3)
    const repeated = api.asks.at(-1)?.conversation.split("You were interrupted")[1]
    for (const words of ["Write a file.", "Mind the gap.", "And the step."])
      expect(repeated?.split(words)).toHaveLength(2)
    const { events } = await fleet.client.events({ task: id })
    const told = events.filter(({ type }) => type.startsWith("message."))
    expect(told.map(({ type, data }) => [type, data["message"]])).toEqual([
      ["message.sent", 1],
      ["message.delivered", 1],
      ["message.sent", 2],
      ["message.delivered", 2],
    ])
  },
)

test("an API that refuses the key stops the task, and says so", async () => {
  await using fleet = claudeFleet(false)
  script = ({ step }) => (step === 0 ? { tools: [bash("echo x > x.txt")] } : { text: "Done." })
  api.failure = { kind: "unauthorized" }
  const task = await fleet.json(TaskDocument, ["run", "Do it.", "--agent", "claude"], 1)
  expect(task).toMatchObject({ state: "stuck", attention: true, reason: { code: "api_refused" } })
  expect(task.reason?.text).toMatch(/key|log ?in/i)
  const why = await fleet.json(WhyDocument, ["why", task.id])
  expect(why.waitingFor).toContain(task.reason?.text)
  expect(listMarked(fleet.home.path)).toEqual([])

  api.failure = undefined
  await fleet.json(TaskDocument, ["restart", "-d", task.id])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
})

test("a red gate extends the conversation, and the green one lands it", async () => {
  await using fleet = claudeFleet("test ! -f bad.txt")
  script = ({ step, text, toolResults }) => {
    if (step === 0) return { tools: [bash("echo b > bad.txt; echo g > good.txt")] }
    if (toolResults.length > 0) return { text: "Done." }
    return text.includes("exited with 1") ? { tools: [bash("rm bad.txt")] } : undefined
  }
  const task = await fleet.json(TaskDocument, ["run", "Do it.", "--agent", "claude"])
  expect(task).toMatchObject({ state: "complete", landing: { handbacks: 1, outcome: "LANDED" } })
  expect(task.jobs[0]?.sessions).toEqual([task.sessionId])
  expect(task.usage.inputTokens).toBeGreaterThan(0)
  expect(fleet.repo.git("show", "main:good.txt")).toBe("g")
  expect(fleet.leftovers()).toEqual([])
})

test("a fork starts from the work and a copy of the conversation, and the first task stays as it is [16.10]", async () => {
  await using fleet = claudeFleet(false)
  script = ({ text, toolResults }) => {
    if (toolResults.length > 0) return { text: "Done." }
    const code = text.includes("Copy it.") ? "cp heron.txt copy.txt" : "echo h > heron.txt"
    return { tools: [bash(code)] }
  }
  const run = ["run", "--agent", "claude", "--land", "approve"]
  const first = await fleet.json(TaskDocument, [...run, "Write a file."])
  const refused = await fleet.coppice("run", "--fork", first.id, "--with", "true", "Copy it.")
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("no conversations") })

  const fork = await fleet.json(TaskDocument, ["run", "--fork", first.id, "Copy it."])
  expect(fork).toMatchObject({ state: "in_approval", agent: "claude" })
  const ask = api.asks.findLast(({ conversation }) => conversation.includes("Copy it."))
  expect(ask?.conversation).toMatch(/echo h > heron[^]*This is a new task[^]*Copy it\./)
  const [repo] = fork.repos
  const changed = fleet.repo.git("diff", "--name-only", "main", repo!.branch!)
  expect(changed).toBe("copy.txt\nheron.txt")
  const { state, sessionId, repos } = await fleet.client.show(first.id)
  expect([state, sessionId, repos[0]?.head]).toEqual([
    "in_approval",
    first.sessionId,
    first.repos[0]?.head,
  ])
  expect(fork.sessionId).not.toBe(first.sessionId)
})

test("a fork by an agent whose program does not hold the conversation begins with a brief [16.10]", async () => {
  await using fleet = new Fleet()
  const other = { env: { CLAUDE_CONFIG_DIR: join(fleet.home.path, "other") } }
  fleet.configure({ repo: { gate: false }, agents: { claude: {}, other } })
  Object.assign(fleet.extra, api.env)
  script = () => ({ text: "It is a heron." })
  const asked = api.asks.length
  const run = ["run", "--land", "approve"]
  const first = await fleet.json(TaskDocument, [...run, "--agent", "claude", "Name the bird."])
  await fleet.json(TaskDocument, [...run, "--agent", "other", "--fork", first.id, "Draw it."])
  expect(api.asks).toHaveLength(asked + 2)
  const text = api.asks.at(-1)?.text ?? ""
  for (const part of ["Draw it.", "Name the bird.", "It is a heron."]) expect(text).toContain(part)
  expect(text).not.toContain("your own copy")
})
