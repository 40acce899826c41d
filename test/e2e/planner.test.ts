/** `plan: { by }`: another agent has the planning turns of a task. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Each notes its name, its phase and its prompt; the planner's last line is the plan. */
const noting = (name: string) =>
  `echo "${name} $COPPICE_TASK $COPPICE_TURN $COPPICE_PHASE $COPPICE_WORKTREE_BRANCH" >> "$STEPS/turns"
   cat > "$STEPS/prompt-$COPPICE_TASK-$COPPICE_TURN"`

function fleetWith(mode: "auto" | "approve", architect: object = {}): Fleet {
  const fleet = new Fleet()
  const env = { STEPS: fleet.steps }
  fleet.configure({
    repo: { gate: false },
    sh: {
      command: `${noting("coder")}; echo w > work.txt`,
      plan: { by: "architect", mode },
      workspace: { branch_pattern: "by/{agent}/{workItem}" },
    },
    agents: {
      architect: {
        runtime: "command",
        command: `${noting("architect")}; echo "Plan $COPPICE_TURN"`,
        env,
        ...architect,
      },
    },
  })
  return fleet
}

test("the planner's words are the plan, and the task's own agent carries it out in a conversation of its own [48.1]", async () => {
  await using fleet = fleetWith("auto")
  const task = await fleet.json(TaskDocument, ["run", "Write it.", "--work-item", "W-1"])
  expect(task).toMatchObject({
    state: "complete",
    agent: "sh",
    plan: { mode: "auto", by: "architect", text: "Plan 1" },
    landing: { outcome: "LANDED" },
  })
  expect(fleet.noted("turns")).toEqual([
    "architect 1 1 planning by/sh/W-1",
    "coder 1 2 working by/sh/W-1",
  ])
  const sessions = task.jobs.flatMap(({ sessions }) => sessions)
  expect(new Set(sessions).size).toBe(2)
  const told = fleet.noted("prompt-1-2").join("\n")
  expect(told).toMatch(/Write it\.[^]*architect[^]*Plan 1/)
  // A further task on the work item goes on in the coder's conversation, not in the planner's.
  const next = await fleet.json(TaskDocument, [
    ...["run", "More.", "--work-item", "W-1", "--plan", "none"],
  ])
  expect(next.sessionId).toBe(task.sessionId)
})

test("a plan that is sent back goes to the planner's conversation, and an approved one to the task's agent [48.2]", async () => {
  await using fleet = fleetWith("approve")
  const task = await fleet.json(TaskDocument, ["run", "Write it."])
  expect(task).toMatchObject({ state: "planning_complete", plan: { text: "Plan 1" } })
  await fleet.json(TaskDocument, ["reject", "-d", task.id, "Shorter."])
  const again = await fleet.until(
    task.id,
    ({ plan, state }) => plan?.text === "Plan 2" && state === "planning_complete",
  )
  expect(again.sessionId).toBe(task.sessionId)
  await fleet.json(TaskDocument, ["approve", "-d", task.id])
  const done = await fleet.until(task.id, ({ state }) => state === "complete")
  expect(done.sessionId).not.toBe(task.sessionId)
  expect(fleet.noted("turns").map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
    "architect 1 1 planning",
    "architect 1 2 planning",
    "coder 1 3 working",
  ])
  expect(fleet.noted("prompt-1-2").join("\n")).toContain("Shorter.")
  expect(fleet.noted("prompt-1-3").join("\n")).toContain("Plan 2")
})

test("the planner's limits hold while it plans, and a stopped plan is restarted by the planner [48.3]", async () => {
  const command = `[ "$COPPICE_TURN" = 2 ] || sleep 1000; ${noting("architect")}; echo Late`
  await using fleet = fleetWith("auto", { command, session: { timeout: "1s" } })
  const task = await fleet.json(TaskDocument, ["run", "Write it."], 1)
  expect(task).toMatchObject({ state: "stuck", reason: { code: "timed_out" } })
  await fleet.json(TaskDocument, ["restart", "-d", task.id])
  const done = await fleet.until(task.id, ({ state }) => state === "complete")
  expect(done).toMatchObject({ plan: { text: "Late" }, landing: { outcome: "LANDED" } })
  expect(fleet.noted("turns").map((line) => line.split(" ")[0])).toEqual(["architect", "coder"])
})
