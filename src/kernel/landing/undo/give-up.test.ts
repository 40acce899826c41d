import { expect, test } from "vitest"
import type { LandingTest } from "../../../../test/support/landing.ts"
import { cutBetween, Pair } from "../../../../test/support/pair.ts"
import { assert } from "../../../base/assert.ts"
import type { LandingId } from "../../../base/ids.ts"
import { recordTask } from "../../tasks/rows/record.ts"
import { listUndoing } from "../rows/find.ts"
import { recordLanding } from "../rows/record.ts"
import type { Landing } from "../rows/row.ts"

const reversalOf = (it: LandingTest, id: LandingId): Landing => {
  const [reversal] = listUndoing(it.db, id)
  assert(reversal, "it is being taken back")
  return reversal
}
/** As `coppice land` has it. */
function landAgain(it: LandingTest, id: LandingId): void {
  assert(recordTask(it.db, it.task(id), { event: "landingRequested" }, it.nowMs), "it has failed")
  recordLanding(it.db, it.landing(id), { event: "resubmitted" }, it.nowMs)
}

test("the second target moved: prepared again from the same head, and published [21.3]", async () => {
  await using pair = new Pair()
  const { it, web } = pair
  const id = await cutBetween(pair, () => {
    web.commit({ "theirs.txt": "theirs" }, "THEIRS")
    web.commit({ "late.txt": "late" }, "LATE", pair.worktree("web"))
  })
  expect(it.landing(id)).toMatchObject({ state: "landed", outcome: "LANDED", races: 1 })
  expect(pair.landed()).toEqual({ app: true, web: true })
  expect(web.git("log", "--format=%s", "main").split("\n")).toEqual(["in web", "THEIRS", "commit"])
  // Later work does not land, and is not lost.
  expect(web.git("log", "--all", "--format=%s")).toContain("LATE")
})

test("the gate of the second runs again where the agent does not work [21.3]", async () => {
  await using pair = new Pair({ gates: { web: "pwd > ../pwd && test -f web.txt" } })
  const { it, web } = pair
  const id = await cutBetween(pair, () => {
    web.commit({ "theirs.txt": "theirs" }, "THEIRS")
    web.commit({ "late.txt": "late" }, "LATE", pair.worktree("web"))
    web.write({ "left.txt": "left" }, pair.worktree("web"))
  })
  expect(it.landing(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(pair.landed()).toEqual({ app: true, web: true })
  expect(it.trace(id).filter((type) => type === "gate.finished")).toHaveLength(2)
  expect(web.git("log", "--all", "--format=%s")).toContain("LATE")
})

test("the second conflicts: the first is taken back; landed again, all of it lands [21.4, 21.5]", async () => {
  await using pair = new Pair()
  const { it, app, web } = pair
  const id = await cutBetween(pair, () => web.commit({ "web.txt": "theirs" }, "THEIRS"))
  const failed = it.landing(id)
  expect(failed).toMatchObject({ state: "failed", outcome: "SQUASH_CONFLICT", decided: false })
  expect(failed.reason).toBe("conflicts with main of web in web.txt; it is taken back in app")
  expect(it.task(id)).toMatchObject({ state: "merge_failed", reason: { code: "landing" } })
  expect(pair.landed()).toEqual({ app: true, web: false })

  // A resubmission at once waits until the revert has landed.
  web.gitIn(pair.worktree("web"), "rebase", "--quiet", "-X", "theirs", "main")
  landAgain(it, id)
  expect(await it.run(id)).toMatchObject({ state: "queued" })
  const reversal = reversalOf(it, id)
  expect(await it.run(reversal.id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(pair.landed()).toEqual({ app: false, web: false })
  expect(pair.subjects().app).toBe('Revert "Do it"')

  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(pair.landed()).toEqual({ app: true, web: true })
  expect(app.git("log", "--format=%s", "main").split("\n")).toEqual([
    "in app",
    'Revert "Do it"',
    "in app",
    "commit",
  ])
  expect(it.task(id)).toMatchObject({ state: "complete", repos: [{ takenBack: null }, {}] })
})

test("work that its agent brought up to date before it was taken back lands whole as well [21.5]", async () => {
  await using pair = new Pair()
  const { it, app, web } = pair
  const id = await cutBetween(pair, () => web.commit({ "web.txt": "theirs" }, "THEIRS"))
  app.commit({ "other.txt": "other" }, "OTHER")
  app.gitIn(pair.worktree("app"), "rebase", "--quiet", "main")
  app.commit({ "more.txt": "more" }, "more", pair.worktree("app"))
  await it.run(reversalOf(it, id).id)
  web.gitIn(pair.worktree("web"), "rebase", "--quiet", "-X", "theirs", "main")
  landAgain(it, id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(pair.landed()).toEqual({ app: true, web: true })
  expect(it.files()).toMatchObject({ "more.txt": "more", "other.txt": "other" })
})

test("the second is red on top of its new target: the first is taken back [21.4]", async () => {
  await using pair = new Pair({ gates: { web: "! test -f theirs.txt || ! test -f web.txt" } })
  const { it, web } = pair
  const id = await cutBetween(pair, () => web.commit({ "theirs.txt": "theirs" }, "THEIRS"))
  expect(it.landing(id)).toMatchObject({ state: "failed", outcome: "PRE_MERGE_FAILED" })
  await it.run(reversalOf(it, id).id)
  expect(pair.landed()).toEqual({ app: false, web: false })
})

test("a user reset the first target: nothing is left to take back [21.4]", async () => {
  await using pair = new Pair()
  const { it, app, web } = pair
  const id = await cutBetween(pair, () => {
    app.git("reset", "--quiet", "--hard", "main~1")
    web.commit({ "web.txt": "theirs" }, "THEIRS")
  })
  expect(it.landing(id)).toMatchObject({ state: "failed", decided: false })
  expect(listUndoing(it.db, id)).toEqual([])
  expect(pair.landed()).toEqual({ app: false, web: false })
})

test("a user reset the first target: the dropped commits stay reachable [4.1]", async () => {
  await using pair = new Pair()
  const { it, app } = pair
  const id = await cutBetween(pair, () => app.git("reset", "--quiet", "--hard", "main~1"))
  expect(it.landing(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(pair.landed()).toEqual({ app: false, web: true })
  expect(app.git("log", "--all", "--format=%s")).toContain("in app")
  expect(it.trace(id)).toContain("rescue.made")
})
