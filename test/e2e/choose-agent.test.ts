/** An agent chooses another one for a sub-task, and its turn with the end has the facts. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet, type FleetConfig } from "../support/fleet.ts"

/** Runs the prompt of the first turn, or its fenced part, and keeps the prompts of later ones. */
const COMMAND = `
  if [ "$COPPICE_TURN" -gt 1 ]; then cat > "$STEPS/task-$COPPICE_TASK-turn-$COPPICE_TURN"; exit; fi
  prompt=$(cat); part=$(printf '%s\\n' "$prompt" | sed -n '/^\`\`\`/,/^\`\`\`/{/^\`\`\`/d;p;}')
  printf '%s\\n' "\${part:-$prompt}" | sh`
const PROPOSE = "coppice agent propose_task"

class Coordinated extends Fleet {
  constructor() {
    super()
    this.configure({})
  }

  /** @param tasks of the coordinator. */
  override configure({ tasks = {} }: FleetConfig & { readonly tasks?: object }): void {
    const program = { runtime: "command", command: COMMAND, env: { STEPS: this.steps } }
    const agents = {
      worker: { ...program, landing: { max_handbacks: 0 } },
      other: program,
    }
    const sh = { command: COMMAND, tasks: { propose: "allow", agents: ["worker"], ...tasks } }
    super.configure({ repo: { gate: false }, sh, agents })
  }
}

test("a coordinator chooses an agent of its list, and no other [45.11]", async () => {
  await using fleet = new Coordinated()
  const id = await fleet.start(`
    coppice agent brief > "$STEPS/brief"
    ${PROPOSE} --agent worker Part "echo a > a.txt" > "$STEPS/part"
    ${PROPOSE} --agent sh Own true > "$STEPS/own"
    for name in other gone '--agent'; do ${PROPOSE} "--agent=$name" No true; done > "$STEPS/no" 2>&1; true`)
  await fleet.until(id, ({ state }) => state === "complete")
  expect(fleet.noted("brief")).toContain("Other agents for sub-tasks: worker")
  expect([fleet.noted("part"), fleet.noted("own")]).toEqual([["2"], ["3"]])
  expect(await fleet.client.show("2")).toMatchObject({ agent: "worker", parent: id })
  expect(await fleet.client.show("3")).toMatchObject({ agent: "sh", parent: id })
  const refusals = fleet.noted("no").join("\n")
  for (const name of ["other", "gone", "--agent"])
    expect(refusals).toContain(`The agent of task ${id} may not choose the agent \`${name}\`.`)
  expect(refusals).toContain("It may choose: worker.")
  expect((await fleet.client.list()).tasks).toHaveLength(3)
  const told = ["2", "3"].flatMap((turn) => fleet.noted(`task-${id}-turn-${turn}`))
  expect(told).toContain("a.txt +1 -0")
  expect(told).toContain("It is complete: nothing changed")
}, 60_000)

test("a person sees the agent of a proposal, and accepts it only as long as the list has it [45.11]", async () => {
  await using fleet = new Coordinated()
  fleet.configure({ tasks: { propose: "ask" } })
  const id = await fleet.start(`for n in 1 2; do ${PROPOSE} --agent worker Part$n true; done`)
  await fleet.until(id)
  expect((await fleet.coppice("answer", id)).stdout).toContain("(for the agent worker)")
  const answer = (question: string) =>
    fleet.coppice("answer", "-d", id, "--question", question, "accept")
  expect((await answer("1")).code).toBe(0)
  expect(await fleet.client.show("2")).toMatchObject({ agent: "worker" })
  fleet.configure({ tasks: { propose: "ask", agents: ["other"] } })
  expect(await answer("2")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("may not choose the agent `worker`"),
  })
})

test("the end of a sub-task in conflict has the files, both sides and the parts [45.12]", async () => {
  await using fleet = new Coordinated()
  const id = await fleet.start(`
    ${PROPOSE} --agent worker Mine 'echo mine > f.txt; touch "$STEPS/begun"; until [ -e "$STEPS/go" ]; do sleep 0.05; done'`)
  await expect.poll(() => existsSync(join(fleet.steps, "begun")), { timeout: 20_000 }).toBe(true)
  fleet.repo.commit({ "f.txt": "theirs\n" }, "THEIRS")
  writeFileSync(join(fleet.steps, "go"), "")
  await fleet.until(id, ({ state }) => state === "complete")
  expect(await fleet.client.show("2")).toMatchObject({ state: "merge_failed" })
  const told = fleet.noted(`task-${id}-turn-2`).join("\n")
  expect(told).toContain("Its landing failed, and a person was asked to look: conflicts with main")
  for (const fact of [/^- f.txt \(\S+\)/m, /THEIRS/, /agent: Mine/, /^f.txt \+1 -\d$/m])
    expect(told).toMatch(fact)
  expect(told).toMatch(/<<<<<<<[^]*theirs[^]*=======[^]*mine[^]*>>>>>>>/)
}, 60_000)
