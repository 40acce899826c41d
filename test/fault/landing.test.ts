/**
 * Disturbs a landing at every point where it can be disturbed.
 *
 * Method: list the points that a quiet landing passes, one before and after each effect. Then, once
 * per point and per fault, land again in a new copy of the repository until it settles, and check
 * what a landing promises (test/support/faulted-landing.ts). `FAULTS=all` tries also what tells
 * nothing new.
 */
import { afterAll, describe, test } from "vitest"
import { arrange, landFaulted, QUIET, SETTINGS, type Setting } from "../support/faulted-landing.ts"
import { FAULTS } from "../support/faults.ts"
import { installFaultyGit } from "../support/faulty-git.ts"

const faulty = installFaultyGit()
afterAll(() => faulty[Symbol.dispose]())

/**
 * With a gate all points are passed; where the target is not checked out it moves otherwise. Only a
 * cut tells apart what lies between: recording and queueing ask nothing of the world.
 */
function isWorthIt({ gate, away }: Setting, what: string, point: string): boolean {
  if (process.env["FAULTS"] === "all") return true
  if (gate === false && !away && what !== "cut") return false
  if (gate === false) return /publishing: looked|ref locked|ref moved/.test(point)
  return what === "cut" || !/done, not recorded|queued: before/.test(point)
}

for (const setting of SETTINGS) {
  const arranged = arrange(setting)
  afterAll(() => arranged[Symbol.dispose]())
  const points = await landFaulted(setting, arranged, { fault: QUIET, at: -1 })

  const isTried = ([what]: [string, unknown]) => points.some((at) => isWorthIt(setting, what, at))
  describe.each(Object.entries(FAULTS).filter(isTried))(`${setting.name}: %s`, (what, fault) => {
    const places = points.map((name, at) => ({ name, at }))
    const here = places.filter(({ name }) => isWorthIt(setting, what, name))
    test.concurrent.each(here)("at $at, $name", { timeout: 180_000 }, async ({ at }) => {
      await landFaulted(setting, arranged, { fault, at })
    })
  })
}
