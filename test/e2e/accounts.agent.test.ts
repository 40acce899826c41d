/** Two accounts of the real Claude Code are two agents, each with its own login, limits and reserve. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LogDocument } from "../../src/api/wire/events.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi, type Script } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

const works: Script = ({ texts, toolResults }) => {
  const [, word] = /Write (\w+)/.exec(texts.join("\n")) ?? []
  return toolResults.length === 0 ? { tools: [bash(`echo x > ${word}.txt`)] } : { text: "Done." }
}

/** A settings folder with a login of its own, whose model is this one. */
function login(fleet: Fleet, name: string, { url }: MessagesApi) {
  const folder = join(fleet.home.path, name)
  mkdirSync(folder)
  const claudeAiOauth = {
    accessToken: `none-${name}`,
    refreshToken: "none",
    expiresAt: Date.now() + 86_400_000,
    scopes: ["user:inference", "user:profile"],
    subscriptionType: "max",
  }
  writeFileSync(join(folder, ".credentials.json"), JSON.stringify({ claudeAiOauth }))
  return { CLAUDE_CONFIG_DIR: folder, ANTHROPIC_BASE_URL: url }
}

test("a second account takes over from one whose limit is used up; ls and why say who and why [50.1, 50.3, 50.8]", async () => {
  await using one = await MessagesApi.start(works)
  await using two = await MessagesApi.start(works)
  one.failure = { kind: "used_up" }
  await using fleet = new Fleet()
  Object.assign(fleet.extra, { CLAUDE_CODE_MAX_RETRIES: "1" })
  fleet.configure({
    repo: { gate: false },
    agents: {
      mine: { runtime: "claude", env: login(fleet, "mine", one), fallback: ["team"], reserve: 0.2 },
      team: { runtime: "claude", env: login(fleet, "team", two), reserve: 0 },
    },
  })
  const task = await fleet.json(TaskDocument, ["run", "Write this.", "--agent", "mine"])
  expect(task).toMatchObject({
    state: "complete",
    agent: "mine",
    standIn: { agent: "team", cause: "limit" },
    landing: { outcome: "LANDED" },
  })
  expect(two.asks[0]?.conversation).toContain("Write this.")
  expect(one.asks).toEqual([])
  const { lines } = await fleet.json(LogDocument, ["logs", task.id])
  const notices = lines.map(({ text }) => text).filter((text) => text.includes("takes over"))
  expect(notices).toEqual([expect.stringMatching(/^team takes over from mine, .*5-hour limit/)])
  expect((await fleet.coppice("why", task.id)).stdout).toMatch(/team took over from mine, .*5-hour/)
  expect(await fleet.json(WhyDocument, ["why", task.id])).toMatchObject({
    standIn: { agent: "team" },
  })
  expect((await fleet.coppice("ls")).stdout).toContain("team for mine")
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toMatchObject([
    { agent: "mine", standIn: { agent: "team", cause: "limit" } },
  ])

  // The limit is the first account's alone: its next task asks it nothing, and the other one works.
  const refused = one.refused
  const next = await fleet.json(TaskDocument, ["run", "Write that.", "--agent", "mine"])
  expect(next).toMatchObject({ state: "complete", standIn: { agent: "team", cause: "limit" } })
  expect(one.refused).toBe(refused)
  const own = await fleet.json(TaskDocument, ["run", "Write more.", "--agent", "team"])
  expect(own).toMatchObject({ state: "complete", standIn: null })
})
