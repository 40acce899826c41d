/** The command line reverts what landed, like any other work that lands. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { commandLine } from "../support/command-line.ts"
import { Fleet } from "../support/fleet.ts"

/** Green as long as there is a README. */
const GATE = "test -f README.md"

test("undo takes a task like every command, or a landing by name; each only once [22.1, 22.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: GATE } })
  // From here on the numbers of tasks and landings differ.
  await fleet.json(TaskDocument, ["run", "echo c > c.txt", "--title", "Two more", "--land", "none"])
  const work = "echo a > a.txt; git add a.txt; git commit -qm 'add a'; echo b > b.txt"
  const first = await fleet.json(TaskDocument, ["run", work, "--title", "Two files"])
  const later = fleet.repo.commit({ "later.txt": "l\n" }, "later")
  fleet.repo.write({ "mine.txt": "mine\n" })
  expect(first).toMatchObject({ id: "2", landing: { id: "1" } })
  const none = await fleet.coppice("undo", "1", "--json")
  expect(JSON.parse(none.stdout).error).toMatchObject({
    code: "landing.not_found",
    message: "There is no landing of `1`.",
  })
  expect((await fleet.coppice("undo", "landing:7")).stderr).toContain("no landing of `landing:7`")

  const line = { cwd: fleet.repo.path, env: fleet.env, answers: ["n"] }
  const asked = await commandLine(line, "undo", "2")
  expect(asked).toMatchObject({ exitCode: 1, stderr: /Revert it\? \[y\/N\] Nothing was reverted/ })
  expect(asked.stdout).toMatch(/Landing 1, of task 2 \(Two files\):\n {2}2 commits on main of app/)
  expect(asked.stdout).toMatch(/2 files, \+2 -0\n.* b.txt|add a/)
  expect(fleet.repo.tip("main")).toBe(later)

  const undone = await fleet.json(TaskDocument, ["undo", "Two"])
  expect(undone).toMatchObject({
    title: 'Revert "Two files"',
    agent: null,
    state: "complete",
    landing: { outcome: "LANDED" },
  })
  expect(fleet.log()[0]).toBe('Revert "Two files"')
  expect(fleet.repo.tip("main^")).toBe(later)
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).toBe("README.md\ncoppice.yml\nlater.txt")
  expect(fleet.repo.git("status", "--porcelain")).toBe("?? mine.txt")
  const twice = await fleet.coppice("undo", "2")
  expect(twice.code).toBe(2)
  expect(twice.stderr).toContain("Task 2 cannot be undone: task 3 reverts it already.")
  expect(twice.stdout, "no plan of what cannot be done").toBe("")

  const order = ["--priority", "3", "--after", "3", "--yes"]
  const again = await commandLine({ ...line, answers: [] }, "undo", "landing:2", ...order)
  expect(again).toMatchObject({ exitCode: 0, stdout: /priority\s+3\n\s+after\s+3\n/ })
  expect(fleet.repo.git("show", "main:b.txt")).toBe("b")
})

test("a branch that was undone does not land again by itself: the refusal names the undo", async () => {
  await using fleet = new Fleet({ repo: {} })
  fleet.repo.git("checkout", "--quiet", "-b", "feature")
  fleet.repo.commit({ "f.txt": "f\n" }, "F1")
  fleet.repo.git("checkout", "--quiet", "main")
  await fleet.json(TaskDocument, ["land", "feature"])
  await fleet.json(TaskDocument, ["undo", "1"])
  const again = await fleet.coppice("land", "feature")
  expect(again.code).toBe(2)
  expect(again.stderr).toContain("Task 1 landed feature on main, and task 2 took it back")
  await fleet.json(TaskDocument, ["undo", "2"])
  expect(fleet.repo.git("show", "main:f.txt")).toBe("f")
})

test("if the gate is red without the landed work, the work stays, and the target does not move [22.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test ! -f needs.txt || test -f a.txt" } })
  await fleet.json(TaskDocument, ["run", "echo a > a.txt"])
  const main = fleet.repo.commit({ "needs.txt": "a.txt\n" }, "needs it")
  const task = await fleet.json(TaskDocument, ["undo", "1"], 1)
  expect(task).toMatchObject({ state: "merge_failed", landing: { outcome: "PRE_MERGE_FAILED" } })
  expect(fleet.repo.tip("main")).toBe(main)
})
