/** A pull request that was squashed after others had pushed to its branch. */
import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { ShippingTest } from "../../../../test/support/shipping.ts"
import { listDue } from "../../../kernel/landing/rows/list.ts"
import { restart } from "../../../kernel/tasks/actions/restart.ts"

/** A pull request of work that has changed a line, and a clone in which a reviewer has its branch. */
async function start() {
  const world = await ShippingTest.start()
  const id = world.submit({ "work.txt": "one\ntwo\nthree\n" })
  await world.fleet.run(id)
  const clone = world.repo.clone("reviewer")
  const { origin, repo } = world
  repo.gitIn(clone, "fetch", "--quiet", origin, "agent/1")
  repo.gitIn(clone, "checkout", "--quiet", "-B", "touch", "FETCH_HEAD")
  const push = () => repo.gitIn(clone, "push", "--quiet", "--force", origin, "touch:agent/1")
  return Object.assign(world, { id, clone, push })
}

test.each([
  { what: "changed the same line", files: { "work.txt": "one\n2\nthree\n" } },
  { what: "added a line", files: { "work.txt": "one\ntwo\nthree\nfour\n" } },
  { what: "removed the file", files: { "work.txt": null } },
])(
  "after a reviewer has $what and squashed it, the task is complete, even without the branch [42.9]",
  async ({ files }) => {
    await using world = await start()
    const { id, repo, clone, pulls, fleet } = world
    repo.commit(files, "a touch", clone)
    world.push()
    pulls.merge(world.pull, "squash")
    pulls.git("branch", "--delete", "--force", "agent/1")
    const { worktree } = fleet.task(id).repos[0]!
    expect(await fleet.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(fleet.task(id)).toMatchObject({ state: "complete", reason: null })
    expect(fleet.task(id).repos[0]?.mergeTip).toBe(world.pull.merge)
    await fleet.settled()
    expect(existsSync(worktree!)).toBe(false)
  },
)

test("a reviewer who rebases the branch, changes it and squashes it completes the task [42.9]", async () => {
  await using world = await start()
  const { id, repo, clone, pulls, fleet } = world
  world.pushAsOther("main", { "others.txt": "others\n" })
  repo.gitIn(clone, "fetch", "--quiet", world.origin, "main")
  repo.gitIn(clone, "rebase", "--quiet", "FETCH_HEAD")
  repo.commit({ "work.txt": "one\n2\nthree\n" }, "a touch", clone)
  world.push()
  pulls.merge(world.pull, "squash")
  expect(await fleet.run(id)).toMatchObject({ state: "landed" })
})

test("a pull request that was merged from a branch with other work stops its task, which goes on in a new one [42.28]", async () => {
  await using world = await start()
  const { id, repo, clone, pulls, fleet } = world
  repo.gitIn(clone, "reset", "--quiet", "--hard", pulls.tip("main"))
  repo.commit({ "other.txt": "other\n" }, "other work", clone)
  world.push()
  const main = pulls.tip("main")
  pulls.merge(world.pull, "squash")
  pulls.git("update-ref", "refs/heads/main", main) // as a slow replica of the forge has it
  expect(await world.look(id)).toMatchObject({ state: "proposed" })
  pulls.git("update-ref", "refs/heads/main", world.pull.merge ?? "")
  const named = expect.stringContaining(`is merged by ${world.pull.merge?.slice(0, 12)}`)
  const failed = { state: "failed", outcome: "MERGED_WITHOUT_WORK", reason: named }
  expect(await world.look(id)).toMatchObject(failed)
  expect(fleet.task(id)).toMatchObject({ state: "stuck", reason: { text: named } })
  expect(existsSync(fleet.task(id).repos[0]?.worktree ?? "")).toBe(true)
  expect(listDue(fleet.db, fleet.nowMs + 3_600_000)).toEqual([])

  pulls.git("branch", "--delete", "--force", "agent/1")
  await restart(fleet.context, fleet.task(id))
  fleet.resubmit(id)
  expect(await fleet.run(id)).toMatchObject({ state: "proposed" })
  expect(pulls.all).toHaveLength(2)
})
