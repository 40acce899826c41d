/** What landed is taken back by the command line, like any other work that lands. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/core/wire.ts"
import { Fleet } from "../support/fleet.ts"

/** Green as long as there is a README. */
const GATE = "test -f README.md"

test("a landing is taken back by its number, an undo by its task; each only once", async () => {
  await using fleet = new Fleet({ repo: { gate: GATE } })
  const work = "echo a > a.txt; git add a.txt; git commit -qm 'add a'; echo b > b.txt"
  const first = await fleet.json(TaskDocument, ["run", work, "--title", "Two files"])
  const later = fleet.repo.commit({ "later.txt": "l\n" }, "later")
  fleet.repo.write({ "mine.txt": "mine\n" })
  expect(first.landing?.id).toBe("1")

  const undone = await fleet.json(TaskDocument, ["undo", "1"])
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
  const twice = await fleet.coppice("undo", "1")
  expect(twice).toMatchObject({ code: 2, stdout: "" })
  expect(twice.stderr).toContain("landing 2 takes it back already")

  const order = ["--priority", "3", "--after", "2"]
  const again = await fleet.json(TaskDocument, ["undo", 'Revert "Two', ...order])
  expect(again).toMatchObject({ priority: 3, after: ["2"] })
  expect(fleet.repo.git("show", "main:b.txt")).toBe("b")
  const none = await fleet.coppice("undo", "77", "--json")
  expect(JSON.parse(none.stdout).error).toMatchObject({
    code: "landing.not_found",
    message: "There is no landing `77`.",
  })
})

test("a gate that is red without what landed keeps it, and the target as it is", async () => {
  await using fleet = new Fleet({ repo: { gate: "test ! -f needs.txt || test -f a.txt" } })
  await fleet.json(TaskDocument, ["run", "echo a > a.txt"])
  const main = fleet.repo.commit({ "needs.txt": "a.txt\n" }, "needs it")
  const task = await fleet.json(TaskDocument, ["undo", "1"], 1)
  expect(task).toMatchObject({ state: "merge_failed", landing: { outcome: "PRE_MERGE_FAILED" } })
  expect(fleet.repo.tip("main")).toBe(main)
})
