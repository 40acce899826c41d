/** With `auto_merge`, the pull request of a person who works alone needs no approval. */
import { expect, test } from "vitest"
import { review } from "../../../test/support/forge/pulls.ts"
import { ShippingTest } from "../../../test/support/shipping.ts"

async function start(given: { readonly reviewers?: readonly string[] } = {}) {
  const world = await ShippingTest.start({ pullRequest: { autoMerge: "squash", ...given } })
  const id = world.submit()
  await world.fleet.run(id)
  const pass = () => {
    const commit = world.pulls.tip("agent/1")
    world.pulls.runs.push({ name: "ci", commit, conclusion: "success", summary: "" })
  }
  const isAskedToMerge = () => world.server.served.some(({ method }) => method === "PUT")
  return Object.assign(world, { id, pass, isAskedToMerge })
}

test("green checks merge it where no review is asked for [42.11]", async () => {
  await using world = await start()
  world.pass()
  expect(await world.look(world.id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

test("without any check it is merged once they have had time to appear [42.11]", async () => {
  await using world = await start()
  await world.look(world.id)
  expect(world.isAskedToMerge()).toBe(false)
  world.fleet.nowMs += 2 * 60_000
  expect(await world.look(world.id)).toMatchObject({ state: "landed" })
})

test.each([
  {
    what: "a reviewer is configured",
    given: { reviewers: ["ada"] },
    hold: ({ pull }: ShippingTest) => {
      pull.reviewers.length = 0 // a comment ends the request
    },
  },
  {
    what: "a person asks for a review on the forge",
    given: {},
    hold: ({ pull }: ShippingTest) => void pull.reviewers.push("ada"),
  },
  {
    what: "the target takes only what was approved, even if an administrator could pass by that",
    given: {},
    hold: ({ pulls }: ShippingTest) => {
      pulls.isProtected = true
    },
  },
  {
    what: "an earlier commit was approved",
    given: {},
    hold: ({ server, pull, pulls }: ShippingTest) =>
      void review(server.state, pull, "APPROVED", { commit: pulls.tip("main") }),
  },
  {
    what: "an approval was withdrawn",
    given: {},
    hold: ({ server, pull }: ShippingTest) => void review(server.state, pull, "DISMISSED"),
  },
])("it waits for an approval where $what [42.11]", async ({ given, hold }) => {
  await using world = await start(given)
  world.pass()
  hold(world)
  await world.look(world.id)
  expect(world.isAskedToMerge()).toBe(false)
  expect(world.fleet.task(world.id).state).toBe("reviews_in_progress")
  review(world.server.state, world.pull, "APPROVED")
  expect(await world.look(world.id)).toMatchObject({ state: "landed" })
})

test("a red check merges nothing [42.11]", async () => {
  await using world = await start()
  const commit = world.pulls.tip("agent/1")
  world.pulls.runs.push({ name: "ci", commit, conclusion: "failure", summary: "" })
  expect(await world.look(world.id)).toMatchObject({ state: "handed_back" })
  expect(world.isAskedToMerge()).toBe(false)
})
