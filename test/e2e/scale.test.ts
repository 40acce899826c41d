/** Twenty agents at once in one repository. */
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"

const TASKS = 20

/** No agent goes on before all of them are at work, so that all worktrees are there at once. */
const AGENT = `
: > "$STEPS/here-$COPPICE_TASK"
until [ $(ls "$STEPS" | grep -c here) -eq ${TASKS} ]; do sleep 0.1; done
echo $COPPICE_TASK > file-$COPPICE_TASK.txt
echo $PWD >> "$STEPS/places"`

test("twenty tasks, given from two shells, all land", { timeout: 180_000 }, async () => {
  await using fleet = new Fleet({ repo: { gate: false }, limits: { concurrent: TASKS } })
  fleet.step(1, AGENT)
  const commits = fleet.log().length
  const shell = async (name: string) => {
    const ids = []
    for (let n = 0; n < TASKS / 2; n++) ids.push(await fleet.start(`${name} ${n}`))
    return ids
  }
  const ids = (await Promise.all([shell("a"), shell("b")])).flat()
  expect(new Set(ids).size).toBe(TASKS)

  for (const id of ids)
    expect(await fleet.until(id)).toMatchObject({ state: "complete", usage: { turns: 1 } })
  expect(new Set(fleet.noted("places")).size).toBe(TASKS)
  expect(fleet.log()).toHaveLength(commits + TASKS)
  expect(fleet.log("%P").filter((parents) => parents.includes(" "))).toEqual([])
  const files = fleet.repo.git("ls-tree", "--name-only", "main").split("\n")
  expect(files).toEqual(expect.arrayContaining(ids.map((id) => `file-${id}.txt`)))
  await expect.poll(() => fleet.leftovers(), { timeout: 15_000 }).toEqual([])
})

test("limits hold: so many of one agent, so many in all", async () => {
  await using fleet = new Fleet()
  const wait = 'while [ ! -f "$STEPS/go" ]; do sleep 0.05; done'
  fleet.configure({
    repo: { gate: false },
    sh: { max_concurrent: 1 },
    agents: {
      other: { runtime: "command", command: wait, env: { STEPS: fleet.steps } },
    },
    limits: { concurrent: 2 },
  })
  const ids = [await fleet.start(wait), await fleet.start(wait)]
  ids.push(await fleet.start("a", "--agent", "other"), await fleet.start("b", "--agent", "other"))
  await fleet.event(({ type, task }) => type === "turn.began" && task === ids[2])
  const { tasks } = await fleet.client.list()
  expect(tasks.map(({ state }) => state)).toEqual([
    ...["working", "registered", "working", "registered"],
  ])
  fleet.noted("go")
  for (const id of ids) expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})
