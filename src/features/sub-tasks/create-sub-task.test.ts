import { expect, test } from "vitest"
import { OPEN_INTAKE } from "../../../test/support/intake.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { TestFolder } from "../../../test/support/store.ts"
import { agentOfTask } from "../../config/agent-of-task.ts"
import { parseConfig } from "../../config/parse.ts"
import { openDb } from "../../kernel/store/open.ts"
import { type Creator, createTask } from "../../kernel/tasks/actions/create-task.ts"
import { createSubTask } from "./create-sub-task.ts"

const FILE = {
  version: 1,
  repos: { app: { gate: false, setup: false } },
  agents: {
    open: { runtime: "acp", command: ["open-agent"], model: "large" },
    fenced: { runtime: "acp", command: ["fenced-agent"], containment: "sandbox" },
  },
}

test.each([
  { by: { agent: "fenced", model: "small" }, containment: "sandbox" },
  { by: { agent: "fenced" }, containment: "sandbox" },
  { by: { agent: "open", model: "small" }, containment: "none" },
  { by: { with: ["aider", "{prompt}"] as [string, string] }, containment: "none" },
])("a sub-task has model, program and containment of its parent: $by [45.4]", async (it) => {
  using repo = new TestRepo()
  using state = new TestFolder()
  const parsed = parseConfig(JSON.stringify(FILE), {}, "app")
  if (parsed.kind !== "ok") throw new Error(JSON.stringify(parsed.problems))
  const { config } = parsed
  const home: Partial<Creator> = {
    db: openDb(":memory:"),
    world: { nowMs: () => 5, dice: () => 0, point: () => {} },
    home: repo.path,
    stateDir: state.path,
    checkedConfig: () => config,
    ...OPEN_INTAKE,
    runtime: () => ({ unavailable: async () => undefined }) as never,
  }
  const fleet = home as Creator
  const { task: parent } = await createTask(fleet, { prompt: "Split it", ...it.by })
  const words = { title: "Part", prompt: "Do it", after: [], on: undefined, report: true }
  const made = await createSubTask(fleet, parent, words)
  const { agent, program, model } = parent
  expect(made).toMatchObject({ parent: parent.id, agent, program, model })
  expect(made.model).toBe("model" in it.by ? it.by.model : null)
  expect(agentOfTask(config, made)?.containment.by).toBe(it.containment)
})
