/**
 * Disturbs a landing at every point where it can be disturbed.
 *
 * Method: list the points that a quiet landing passes, one before and after each effect. Then, once
 * per point and per fault, land again in a new copy of the repository until it settles, and check
 * what a landing promises (test/support/faulted-landing.ts). Every cut is tried, and of the rest what
 * the dice draw; `FAULTS=all` tries everything, also what tells nothing new.
 */
import { afterAll, describe, test } from "vitest"
import { draw } from "../support/draw.ts"
import { arrange, landFaulted, QUIET, SETTINGS, type Setting } from "../support/faulted-landing.ts"
import { FAULTS } from "../support/faults.ts"
import { installFaultyGit } from "../support/faulty-git.ts"

const isDrawn = draw("the faults of a landing")
const faulty = installFaultyGit()
afterAll(() => faulty[Symbol.dispose]())

/**
 * With a gate all points are passed; where the target is not checked out it moves otherwise. Only a
 * cut tells apart what lies between: recording and queueing ask nothing of the world.
 */
function isWorthIt({ gate, away, approved, red }: Setting, what: string, point: string): boolean {
  // A commit while the worktree stands at the target takes the work back: the specification says so.
  if (red && what === "the agent commits late" && point === "gating: gate ran") return false
  if (process.env["FAULTS"] === "all") return true
  if (red) return what === "cut" && /gate (ended|ran)|put back|gating: done/.test(point)
  if (approved) return what === "cut" && /snapshotting|queued|preparing/.test(point)
  if (gate === false && !away && what !== "cut") return false
  if (gate === false) return /publishing: looked|ref locked|ref moved/.test(point)
  return what === "cut" || !/done, not recorded|queued: before/.test(point)
}

for (const setting of SETTINGS) {
  const arranged = arrange(setting)
  afterAll(() => arranged[Symbol.dispose]())
  const points = await landFaulted(setting, arranged, { fault: QUIET, at: -1 })

  const places = points.map((name, at) => ({ name, at }))
  const tables = Object.entries(FAULTS).map(([what, fault]) => {
    const worth = places.filter(({ name }) => isWorthIt(setting, what, name))
    return { what, fault, here: worth.filter(() => what === "cut" || isDrawn()) }
  })
  const tried = tables.filter(({ here }) => here.length > 0)
  describe.each(tried)(`${setting.name}: $what`, ({ fault, here }) => {
    afterAll(() => faulty.rest())
    test.concurrent.each(here)("at $at, $name [7.1]", { timeout: 180_000 }, async ({ at }) => {
      await landFaulted(setting, arranged, { fault, at })
    })
  })
}
