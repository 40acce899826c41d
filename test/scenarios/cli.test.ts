/** One scenario of each group through the command line, with a command as the agent. */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

test("M05: commits that conflict one by one land as one change, said by the command line", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const lines = (fifth: string) => `l1\\nl2\\nl3\\nl4\\n${fifth}\\nl6\\n`
  const write = (fifth: string) => `printf '${lines(fifth)}' > f.txt`
  fleet.repo.commit({ "f.txt": lines("l5").replaceAll("\\n", "\n") })
  const id = await fleet.start(
    `${write("X5")}; git commit -qam A1; ${write("l5")}; echo n > n.txt; git add .; git commit -qm A2
    while [ ! -f "$STEPS/go" ]; do sleep 0.05; done`,
  )
  await fleet.event(({ type }) => type === "turn.began")
  fleet.repo.commit({ "f.txt": lines("M5").replaceAll("\\n", "\n") }, "M1")
  fleet.noted("go")
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 0 } })
  expect(readFileSync(join(fleet.repo.path, "f.txt"), "utf8")).toContain("M5")
  const [message] = fleet.log("%B%x00")
  expect([message, fleet.log()[1], existsSync(join(fleet.repo.path, "n.txt"))]).toEqual([
    expect.stringContaining(task.title.slice(0, 20)),
    "M1",
    true,
  ])
  expect(fleet.leftovers()).toEqual([])
})

test("T04: an untracked file in the way is named by `why`, left alone, and waited for", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  fleet.repo.write({ "u.txt": "mine" })
  const main = fleet.repo.tip("main")
  const id = await fleet.start("echo u > u.txt")
  await fleet.until(id, ({ landing }) => landing?.outcome === "DIRTY_MAIN")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.paths).toEqual(["u.txt"])
  const { stdout } = await fleet.coppice("why", id)
  expect(stdout).toContain("u.txt")
  expect(readFileSync(join(fleet.repo.path, "u.txt"), "utf8")).toBe("mine")
  expect(fleet.repo.tip("main")).toBe(main)

  rmSync(join(fleet.repo.path, "u.txt"))
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(readFileSync(join(fleet.repo.path, "u.txt"), "utf8")).toBe("u\n")
})

test("W12: while its agent works a task cannot be landed, and its worktree is not touched [6.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start(
    `echo a > a.txt; git add a.txt; git commit -qm A1; echo half > half.txt
    touch "$STEPS/half"; while [ ! -f "$STEPS/go" ]; do sleep 0.05; done; echo whole > half.txt`,
  )
  const { worktree } = (await fleet.until(id, () => existsSync(join(fleet.steps, "half"))))
    .repos[0]!
  const state = () => [
    fleet.repo.gitIn(worktree!, "status", "--porcelain"),
    fleet.repo.gitIn(worktree!, "rev-parse", "HEAD"),
    fleet.repo.tip("main"),
  ]
  const before = state()
  const refused = await fleet.coppice("land", id)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("working") })
  expect(state()).toEqual(before)
  const task = await fleet.json(TaskDocument, ["show", id])
  expect(task).toMatchObject({ state: "working", landing: null })

  fleet.noted("go")
  expect(await fleet.until(id)).toMatchObject({ state: "complete", usage: { turns: 1 } })
  expect(fleet.repo.git("show", "main:half.txt")).toBe("whole")
})
