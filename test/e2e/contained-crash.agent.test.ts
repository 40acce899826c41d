/** A contained agent whose daemon is killed goes on with its conversation, with the real programs. */
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import { Fleet } from "../support/fleet.ts"
import { type Says, SCRIPTED_AGENTS } from "../support/scripted-agents.ts"
import { waitFor } from "../support/wait-for.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

/** The model does its first step, says nothing for ever, and goes on once it was interrupted. */
const says: Says = (told, hasResults) => {
  if (!told.includes("You were interrupted"))
    return hasResults ? new Promise(() => {}) : 'pwd >> "$STEPS/places"; echo one > one.txt'
  return hasResults && told.includes("echo two") ? undefined : "echo two > two.txt"
}

const { claude, codex } = SCRIPTED_AGENTS
const cases = (await listKinds(image)).flatMap((kind) =>
  [
    { name: "claude", ...claude },
    { name: "codex", ...codex },
  ].map((agent) => ({ ...agent, ...kind })),
)

test.for(cases)(
  "$name in a $kind that is killed goes on with its conversation in the same worktree [30.4, 43.11]",
  async ({ isThere, missing, env = {}, settings, start }, { skip }) => {
    if (!isThere) return skip("it was not fetched: `npm run test:agents` does that")
    if (missing !== undefined) return skip(missing)
    await using fleet = new Fleet()
    Object.assign(fleet.extra, env)
    await using agent = await start(fleet, says)
    const read = [fleet.steps, join(fleet.home.path, ".codex/config.toml")]
    const STEPS = fleet.steps
    const worker = { runtime: agent.runtime, env: { STEPS }, ...settings({ read: [...read] }) }
    fleet.configure({ repo: { gate: false }, agents: { worker } })
    const id = await fleet.start("Write two files.", "--agent", "worker")
    await waitFor("the second question", () => agent.conversations().length >= 2, 60_000)
    const before = await fleet.client.show(id)
    await fleet.kill()
    const asked = agent.conversations().length

    const task = await fleet.until(id)
    expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
    expect(task.sessionId).toBe(before.sessionId)
    expect(task.jobs).toHaveLength(1)
    for (const part of ["Write two files.", "echo one", "You were interrupted"])
      expect(agent.conversations()[asked]).toContain(part)
    expect(fleet.repo.git("show", "--name-only", "--format=", "main")).toBe("one.txt\ntwo.txt")
    expect(fleet.leftovers()).toEqual([])
  },
)
