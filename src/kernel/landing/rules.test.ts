import fc from "fast-check"
import { expect, test } from "vitest"
import { expectGenerated } from "../../../test/support/generated.ts"
import { arrows, toMermaid } from "../../../test/support/machine.ts"
import { next } from "../../base/machine.ts"
import {
  IN_FLIGHT_STATES,
  isPublishedState,
  isRunnable,
  LANDING,
  type LandingEvent,
  type LandingState,
} from "./rules.ts"

const states = Object.keys(LANDING) as LandingState[]
const accepting = (event: LandingEvent) => states.filter((state) => next(LANDING, state, event))

test("in every order of events, it lands as prepared, passed, published, in a row, or unchanged [3.1]", () => {
  const walk = (throws: number[]) => {
    const events: LandingEvent[] = []
    let state = "snapshotting" as LandingState
    let failedIn = null as LandingState | null
    for (const thrown of throws) {
      // Only one that failed with its pull request goes on with it.
      const canReopen = failedIn === "proposed"
      const accepted = arrows(LANDING).filter(
        ({ from, event }) => from === state && (event !== "pullRequestReopened" || canReopen),
      )
      const arrow = accepted[thrown % accepted.length]
      if (!arrow) break
      events.push(arrow.event)
      if (arrow.event === "failed") failedIn = state
      state = arrow.to
    }
    if (state !== "landed") return
    const ways = [
      ["snapshotted", "claimed", "prepared", "synced", "passed", "published", "cleaned"],
      ["snapshotted", "claimed", "prepared", "passed", "published", "cleaned"], // no gate has to run
      ["snapshotted", "claimed", "unchanged", "cleaned"],
      ["shippingStarted", "pullRequestOpened", "pullRequestMerged", "cleaned"],
      ["shippingStarted", "unchanged", "cleaned"],
    ]
    const last = (event: LandingEvent) => events.lastIndexOf(event)
    const start = Math.max(last("snapshotted"), last("shippingStarted"))
    const way = events.slice(start)
    const reopened = way.lastIndexOf("pullRequestReopened")
    if (reopened >= 0) way.splice(2, reopened - 1)
    expect(ways).toContainEqual(way)
  }
  fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 60 }), walk), { numRuns: 2000 })
})

test("it can be cancelled until it publishes, and while it waits", () => {
  const local = ["snapshotting", "in_review", "queued", "preparing", "syncing", "gating"]
  const before = [...local, "shipping", "restacking", "proposed", "waiting"]
  expect(accepting("cancelled").toSorted()).toEqual(
    [...before, "paused", "handed_back", "failed"].toSorted(),
  )
  expect(accepting("paused").toSorted(), "review holds neither lock nor queue").toEqual(
    before.toSorted().filter((state) => state !== "in_review"),
  )
})

test("only the claim leads into flight, and a landing that stops on the way starts from a fresh snapshot [2.1]", () => {
  const isInFlight = (state: string) => (IN_FLIGHT_STATES as readonly string[]).includes(state)
  const entering = arrows(LANDING).filter(({ from, to }) => !isInFlight(from) && isInFlight(to))
  expect(entering).toEqual([{ from: "queued", event: "claimed", to: "preparing" }])
  for (const event of ["moved", "woken", "resubmitted"] as const)
    for (const state of accepting(event)) expect(next(LANDING, state, event)).toBe("snapshotting")
})

test("every state can be reached, and can reach an end [13.1]", () => {
  const reach = (from: LandingState) => {
    const seen = new Set([from])
    for (const state of seen) for (const to of Object.values(LANDING[state])) seen.add(to)
    return seen
  }
  expect([...reach("snapshotting")].toSorted()).toEqual(states.toSorted())
  for (const state of states)
    expect([...reach(state)].some((to) => Object.keys(LANDING[to]).length === 0)).toBe(true)
})

test("the loop has nothing to do in states that wait for another, or are final", () => {
  expect(states.filter((state) => !isRunnable(state))).toEqual([
    "in_review",
    "waiting",
    "paused",
    "handed_back",
    "failed",
    "landed",
    "cancelled",
  ])
  expect(states.filter(isPublishedState)).toEqual(["cleaning", "landed"])
})

test("the diagram in the docs is the table", async () => {
  await expectGenerated("docs/generated/landing.mermaid", toMermaid(LANDING, "snapshotting"))
})
