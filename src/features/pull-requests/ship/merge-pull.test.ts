/** With `auto_merge`, a target's merge queue on the forge merges the pull request, or throws it out. */
import { expect, test } from "vitest"
import { MergeQueue } from "../../../../test/support/forge/merge-queue.ts"
import { review } from "../../../../test/support/forge/pulls.ts"
import { Crash } from "../../../../test/support/landing.ts"
import { ShippingTest } from "../../../../test/support/shipping.ts"
import type { LandingId } from "../../../base/ids.ts"
import { findOpenTurn } from "../../../kernel/tasks/rows/turns/find.ts"

/** A pull request of an agent, whose target has a merge queue. */
async function start(method: "merge" | "squash" | "rebase" = "squash") {
  const world = await ShippingTest.start({ pullRequest: { autoMerge: method } })
  const queue = new MergeQueue(world.pulls, "squash")
  world.pulls.queue = queue
  const id = world.submit()
  await world.fleet.run(id)
  const approve = () => void review(world.server.state, world.pull, "APPROVED")
  return Object.assign(world, { queue, id, approve })
}

const promptOf = ({ fleet }: ShippingTest, id: LandingId) =>
  findOpenTurn(fleet.db, fleet.landing(id).task)?.prompt ?? ""

test("approved work gets a place in the queue, once, and is complete when the queue has merged it [42.22]", async () => {
  await using world = await start()
  const { id, queue, fleet } = world
  await world.look(id)
  expect(queue.given).toBe(0)
  world.approve()
  await world.look(id)
  await world.look(id) // now the commit that is tested is known
  expect(queue.commitOf(world.pull)).toBe(world.row(id).queue?.commit)
  expect(fleet.task(id).state).toBe("pr_ready")
  expect(world.row(id).problem).toBe("it is in the forge's merge queue")
  const events = fleet.trace(id).length
  await world.look(id)
  expect([queue.given, fleet.trace(id).length]).toEqual([1, events])
  queue.pass(world.pull)
  expect(await fleet.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.pulls.git("log", "--format=%s", "main").split("\n")).toHaveLength(2)
})

test.each(["proposed: queueing", "proposed: queued"])(
  "a program that dies at `%s` asks for one place [42.22]",
  async (point) => {
    await using world = await start()
    world.approve()
    let dies = true
    world.fleet.onPoint = (name) => {
      if (name !== point || !dies) return
      dies = false
      throw new Crash(name)
    }
    await world.look(world.id)
    expect([dies, world.queue.given]).toEqual([false, 1])
    world.queue.pass(world.pull)
    expect(await world.fleet.run(world.id)).toMatchObject({ state: "landed" })
  },
)

test("a pull request that the queue throws out goes back to its agent, with the reason and the failed checks [42.23]", async () => {
  await using world = await start()
  const { id, queue, fleet } = world
  world.approve()
  await world.look(id)
  await world.look(id)
  const commit = queue.commitOf(world.pull)!
  world.pulls.runs.push({ name: "ci", commit, conclusion: "failure", summary: "2 of 9 failed" })
  queue.remove(world.pull, "failed_checks")
  const landing = await world.look(id)
  expect(landing).toMatchObject({
    state: "handed_back",
    outcome: "CHANGES_REQUESTED",
    handbacks: 1,
    reason: expect.stringContaining("the merge queue threw it out: failed_checks"),
  })
  const main = world.pulls.tip("main").slice(0, 12)
  for (const fact of ["failed_checks", "```\n2 of 9 failed\n```", `git merge ${main}`])
    expect(promptOf(world, id)).toContain(fact)

  world.again(id, { "work.txt": "better\n" })
  await fleet.run(id)
  expect(queue.given).toBe(1) // the approval was for another commit
  world.approve()
  await world.look(id)
  expect(queue.given).toBe(2)
  queue.pass(world.pull)
  expect(await fleet.run(id)).toMatchObject({ state: "landed" })
})

test("an agent that changes nothing gets another try, and each counts as a hand-back [42.23]", async () => {
  await using world = await start()
  const { id, queue, fleet } = world
  world.approve()
  await world.look(id)
  for (const n of [1, 2]) {
    queue.remove(world.pull, "ci_timeout")
    expect(await world.look(id)).toMatchObject({ state: "handed_back", handbacks: n })
    fleet.resubmit(id)
    await fleet.run(id)
    expect(queue.given).toBe(n + 1)
  }
  queue.remove(world.pull, "ci_timeout")
  expect(await world.look(id)).toMatchObject({ state: "failed", outcome: "CHANGES_REQUESTED" })
})

test("a pull request that a person takes out of the queue stays out, and is no task for the agent [42.23]", async () => {
  await using world = await start()
  const { id, queue } = world
  world.approve()
  await world.look(id)
  queue.remove(world.pull, null)
  for (let n = 0; n < 2; n++) await world.look(id)
  expect([queue.given, world.fleet.landing(id).state]).toEqual([1, "proposed"])
  expect(world.row(id).problem).toContain("a person took it out")
  queue.add(world.pull, world.pulls.headOf(world.pull))
  await world.look(id)
  expect(world.row(id).problem).toBe("it is in the forge's merge queue")
})

test("a removal from before Coppice asked for a place is not taken for its own [42.23]", async () => {
  await using world = await start()
  const { id, queue } = world
  queue.add(world.pull, world.pulls.headOf(world.pull))
  queue.remove(world.pull, "failed_checks")
  world.approve()
  await world.look(id)
  expect([queue.given, world.fleet.landing(id).state]).toEqual([2, "proposed"])
})

test("a queue that merges in another way than `auto_merge` asks for gets no pull request", async () => {
  await using world = await start("merge")
  world.approve()
  await world.look(world.id)
  expect(world.queue.given).toBe(0)
  expect(world.row(world.id).problem).toMatch(
    /merges by `squash`, and `auto_merge` asks for `merge`/,
  )
})
