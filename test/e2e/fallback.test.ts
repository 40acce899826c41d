/** `fallback`: another agent takes over a task, in the same worktree. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { LogDocument } from "../../src/api/wire/events.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

const ACP = join(import.meta.dirname, "../support/acp-agent.ts")

/** The first agent leaves a file in its worktree, and its model API refuses it. */
function refusedFleet(): Fleet {
  const fleet = new Fleet()
  const refusal = { "session/prompt": { error: { code: 401, message: "not logged in" } } }
  const env = { ACP_AGENT: JSON.stringify({ answers: refusal }), HOME: fleet.home.path }
  const acp = `echo half > half.txt; exec '${process.execPath}' '${ACP}'`
  fleet.configure({
    repo: { gate: false },
    sh: { runtime: "acp", command: ["sh", "-c", acp], env, fallback: ["gone", "second"] },
    agents: {
      gone: { runtime: "command", command: ["no-such-program"] },
      second: {
        runtime: "command",
        command: 'cat > "$STEPS/prompt"; pwd >> "$STEPS/places"; sleep 0.3; echo w > work.txt',
        env: { STEPS: fleet.steps },
      },
    },
  })
  return fleet
}

test("the next agent that can work takes over a refused one's worktree and branch, and lands; show, ls and why say why [50.1, 50.8]", async () => {
  await using fleet = refusedFleet()
  const task = await fleet.json(TaskDocument, ["run", "Write it."])
  expect(task).toMatchObject({
    state: "complete",
    agent: "sh",
    standIn: { agent: "second", cause: "missing" },
    landing: { outcome: "LANDED" },
  })
  expect(task.jobs).toHaveLength(3)
  expect(fleet.repo.git("show", "main:half.txt", "main:work.txt")).toBe("half\nw")
  expect(fleet.noted("places")).toHaveLength(1)
  expect(fleet.noted("prompt").join("\n")).toMatch(/Write it\.[^]*half\.txt/)
  const { lines } = await fleet.json(LogDocument, ["logs", task.id])
  const notices = lines.map(({ text }) => text).filter((text) => text.includes("takes over"))
  expect(notices).toEqual([
    expect.stringMatching(/^gone takes over from sh, which is refused: .*not logged in/),
    expect.stringMatching(/^second takes over from gone, which is not installed: /),
  ])
  expect((await fleet.coppice("show", task.id)).stdout).toContain("second for sh")
  const said = /second took over from sh, which was not installed: .*no-such-program/
  expect((await fleet.coppice("why", task.id)).stdout).toMatch(said)
  expect(await fleet.json(WhyDocument, ["why", task.id])).toMatchObject({
    standIn: { agent: "second" },
  })
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toMatchObject([
    { agent: "sh", standIn: { agent: "second", cause: "missing" } },
  ])
  expect((await fleet.coppice("ls")).stdout).toContain("second for sh")
  expect(fleet.leftovers()).toEqual([])
})

test("a kill -9 right after the decision neither loses the turn nor takes over twice [50.9]", async () => {
  await using fleet = refusedFleet()
  const id = await fleet.start("Write it.")
  await fleet.event(({ type, data }) => type === "agent.replaced" && data["to"] === "second")
  await fleet.kill()
  const task = await fleet.until(id, ({ state }) => state === "complete")
  expect(task).toMatchObject({ standIn: { agent: "second" }, landing: { outcome: "LANDED" } })
  expect(task.jobs).toHaveLength(3)
  const { events } = await fleet.client.events({ after: 0 })
  expect(events.filter(({ type }) => type === "agent.replaced")).toHaveLength(2)
  expect(fleet.leftovers()).toEqual([])
})
