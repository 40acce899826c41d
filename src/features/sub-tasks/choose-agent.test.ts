import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import { parseConfig } from "../../config/parse.ts"
import { openDb } from "../../kernel/store/open.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { chooseAgent, hasFewerRights } from "./choose-agent.ts"

const reading = { containment: "sandbox", contained: { read: ["~/notes"] } }
const FILE = {
  version: 1,
  repos: { app: {}, other: { path: "../other" } },
  agents: {
    lead: { fallback: ["fenced"], tasks: { agents: ["worker", "elsewhere", "fenced"] } },
    worker: {},
    unlisted: {},
    elsewhere: { working_directory: { root: "../other" } },
    fenced: { containment: "sandbox" },
    reader: { ...reading, fallback: ["blind", "frugal"] },
    blind: { containment: "sandbox" },
    frugal: { ...reading, budget: { turns: 5 } },
  },
}

const parsed = parseConfig(JSON.stringify(FILE), {}, "app")
if (parsed.kind !== "ok") throw new Error(JSON.stringify(parsed.problems))
const { config } = parsed
const parentOf = (more: Partial<Task>): Task => ({
  ...addSampleTask(openDb(":memory:")),
  agent: "lead",
  ...more,
})
const choose = (name: string, more: Partial<Task> = {}) =>
  chooseAgent(config, parentOf(more), name)?.name
const byFallback = { standIn: { agent: "fenced" } } as Partial<Task>
const program = { runtime: "command", command: ["aider"], resume: undefined } as const

test("only an agent of the list is chosen, whatever else is configured or known [45.11]", () => {
  expect(choose("worker")).toBe("worker")
  expect(choose("lead"), "its own needs no list").toBeUndefined()
  for (const name of ["unlisted", "gone", "codex"])
    expect(() => choose(name)).toThrow(`may not choose the agent \`${name}\``)
  expect(() => choose("lead", { agent: "worker" })).toThrow("may not choose")
  expect(choose("worker", { agent: "aider", program }), "its settings are the first's").toBe(
    "worker",
  )
  expect(() => choose("lead", { agent: "lead", program })).toThrow("may not choose")
})

test("an agent of another repository is refused, unless the task works there [45.11]", () => {
  expect(() => choose("elsewhere")).toThrow("`elsewhere` works in other")
  const { repos } = parentOf({})
  expect(choose("elsewhere", { repos: [{ ...repos[0]!, name: "other" }] })).toBe("elsewhere")
})

test("a contained fallback gets no agent that is not, and its first agent only from a person [45.11]", () => {
  expect(choose("fenced", byFallback)).toBe("fenced")
  expect(() => choose("worker", byFallback)).toThrow("`worker` is not contained, but `fenced` is")
  expect(hasFewerRights(config, parentOf(byFallback))).toBe(true)
  expect(hasFewerRights(config, parentOf({}))).toBe(false)
  for (const agent of ["blind", "frugal"])
    expect(
      hasFewerRights(config, parentOf({ agent: "reader", standIn: { agent } } as Partial<Task>)),
      agent,
    ).toBe(true)
})
