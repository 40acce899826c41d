/** A task that stopped with its pull request goes on with it. */
import { expect, test } from "vitest"
import { review } from "../../../test/support/forge/pulls.ts"
import type { LandingTestOptions } from "../../../test/support/landing.ts"
import { ShippingTest } from "../../../test/support/shipping.ts"
import { recheckWait } from "../../kernel/landing/recheck-wait.ts"
import { listDue } from "../../kernel/landing/rows/list.ts"
import { restart } from "../../kernel/tasks/actions/restart.ts"

async function start(options: LandingTestOptions = {}) {
  const world = await ShippingTest.start(options)
  const id = world.submit()
  await world.fleet.run(id)
  const again = async () => {
    await recheckWait(world.fleet.context, id, new AbortController().signal)
    return await world.look(id)
  }
  const isLookedAt = () => {
    const { db, nowMs } = world.fleet
    return listDue(db, nowMs + 3_600_000).length === 1
  }
  return Object.assign(world, { id, again, isLookedAt })
}

/** The same, of one that a person has closed. */
async function startClosed() {
  const world = await start()
  world.pull.state = "closed"
  await world.look(world.id)
  expect(world.fleet.task(world.id)).toMatchObject({
    state: "stuck",
    reason: { code: "pull_request" },
  })
  return world
}

test("a pull request that is opened again takes its task along, and can be closed once more [42.26]", async () => {
  await using world = await startClosed()
  const { id, fleet } = world
  for (let n = 0; n < 2; n++) {
    world.pull.state = "open"
    expect(await world.again()).toMatchObject({ state: "proposed", reason: null })
    expect(fleet.task(id)).toMatchObject({ state: "reviews_in_progress", reason: null })
    expect(world.row(id).state).toBe("open")
    world.pull.state = "closed"
    expect(await world.look(id)).toMatchObject({ outcome: "PULL_REQUEST_CLOSED" })
  }
  expect(world.pulls.all).toHaveLength(1)
})

test("one that is opened again and merged before the next look completes its task [42.26]", async () => {
  await using world = await startClosed()
  world.pull.state = "open"
  world.pulls.merge(world.pull, "squash")
  expect(await world.again()).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(world.fleet.task(world.id).state).toBe("complete")
})

test("a look at one that stays closed leaves no record [42.12, 42.26]", async () => {
  await using world = await startClosed()
  const events = world.fleet.trace(world.id).length
  expect(world.isLookedAt()).toBe(true)
  for (let n = 0; n < 2; n++) expect((await world.again()).state).toBe("failed")
  world.server.fail({ how: "drop" })
  world.pull.state = "open"
  expect((await world.again()).state).toBe("failed")
  expect(world.fleet.trace(world.id)).toHaveLength(events)
  world.server.heal()
  expect((await world.again()).state).toBe("proposed")
})

test("a person who merges it in spite of requested changes completes its task [42.26]", async () => {
  await using world = await start({ handbacksMax: 0 })
  const { id, fleet } = world
  review(world.server.state, world.pull, "CHANGES_REQUESTED")
  expect(await world.look(id)).toMatchObject({ state: "failed", outcome: "CHANGES_REQUESTED" })
  expect(await world.again()).toMatchObject({ state: "failed" })
  world.pulls.merge(world.pull, "squash")
  expect(await world.again()).toMatchObject({ state: "landed" })
  expect(fleet.task(id).state).toBe("complete")
})

test("a task that was restarted since is its agent's, whatever becomes of the pull request [42.26]", async () => {
  await using world = await startClosed()
  const { id, fleet } = world
  await restart(fleet.context, fleet.task(id))
  expect(world.isLookedAt()).toBe(false)
  world.pull.state = "open"
  await world.again()
  expect([fleet.task(id).state, fleet.landing(id).state]).toEqual(["working", "failed"])
  fleet.resubmit(id) // the agent has ended, and its work is pushed to the same pull request
  expect(await fleet.run(id)).toMatchObject({ state: "proposed" })
  expect(world.pulls.all).toHaveLength(1)
})
