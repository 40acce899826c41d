import { expect, test } from "vitest"
import { listAsked } from "../features/trust/rules.ts"
import { parseConfig } from "./parse.ts"

const parse = (agent: string, env = {}) =>
  parseConfig(`version: 1\nagents:\n  a: ${agent}`, env, "app")

function problems(agent: string) {
  const parsed = parse(agent)
  return parsed.kind === "ok"
    ? {}
    : Object.fromEntries(parsed.problems.map((p) => [p.path, p.message]))
}

test("a server is a program with variables, or an address with headers [31.12]", () => {
  const parsed = parse(
    `{ mcp_servers: { tickets: { command: [tickets, --all], env: { KEY: "\${MY_KEY}" } }, docs: { url: "https://docs.example/mcp", headers: { X-Key: "\${MY_KEY}" } } } }`,
    { MY_KEY: "k" },
  )
  if (parsed.kind !== "ok") throw new Error(JSON.stringify(parsed.problems))
  expect(parsed.config.agents[0]?.mcpServers).toEqual([
    { name: "tickets", kind: "stdio", command: ["tickets", "--all"], env: { KEY: "k" } },
    { name: "docs", kind: "http", url: "https://docs.example/mcp", headers: { "X-Key": "k" } },
  ])
})

test.each([
  ["{ mcp_servers: { coppice: { command: [x] } } }", "agents.a.mcp_servers.coppice"],
  ["{ mcp_servers: { Coppice__x: { command: [x] } } }", "agents.a.mcp_servers.Coppice__x"],
  ["{ mcp_servers: { a.b: { command: [x] } } }", "agents.a.mcp_servers.a.b"],
  ["{ mcp_servers: { x: {} } }", "agents.a.mcp_servers.x.command"],
  ["{ mcp_servers: { x: { command: x y } } }", "agents.a.mcp_servers.x.command"],
  ["{ mcp_servers: { x: { command: [x], url: 'http://h' } } }", "agents.a.mcp_servers.x.url"],
  ["{ mcp_servers: { x: { url: 'file:///etc' } } }", "agents.a.mcp_servers.x.url"],
  ["{ mcp_servers: { x: { url: 'http://h', env: { A: b } } } }", "agents.a.mcp_servers.x.env"],
  [
    "{ runtime: command, command: x, mcp_servers: { x: { command: [x] } } }",
    "agents.a.mcp_servers",
  ],
])("%s is refused at %s [31.12]", (agent, path) => {
  expect(Object.keys(problems(agent))).toContain(path)
})

test("a person approves servers: what they run, where they send, and the variables they read [31.12]", () => {
  const text = `agents: { a: { mcp_servers: { t: { command: [tickets, x], env: { KEY: "\${MY_KEY}" } }, d: { url: "https://d.example" } } } }`
  const asked = listAsked({ text, user: null })
  expect(asked.map(({ where, what }) => `${where}: ${what}`)).toEqual([
    `agents.a.mcp_servers.t.command: runs ["tickets","x"]`,
    "agents.a.mcp_servers.t.env.KEY: sets KEY=${MY_KEY}",
    "agents.a.mcp_servers.d.url: sends to https://d.example",
    "agents.a.mcp_servers.t.env.KEY: reads the variable MY_KEY",
  ])
})
