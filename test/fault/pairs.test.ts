/**
 * Two faults in one landing, each anywhere: by dice, whose seed is printed. FAULT_SEED throws them
 * again. Pairs that once found something always run.
 */
import { afterAll, expect, test } from "vitest"
import { Dice } from "../../torture/dice.ts"
import { arrange, landFaulted, QUIET, SETTINGS } from "../support/faulted-landing.ts"
import { FAULTS } from "../support/faults.ts"
import { installFaultyGit } from "../support/faulty-git.ts"

const faulty = installFaultyGit()
afterAll(() => faulty[Symbol.dispose]())
const LANDINGS = 12
const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
console.log(`seed of the pairs of faults: ${seed}`)
const dice = new Dice(seed)
const [setting] = SETTINGS.filter(({ gate }) => gate !== false)
const arranged = arrange(setting!)
afterAll(() => arranged[Symbol.dispose]())
const quiet = await landFaulted(setting!, arranged, { fault: QUIET, at: -1 })
const gateRan = quiet.indexOf("gating: gate ran")

const names = Object.keys(FAULTS)
const throwOne = () => ({ name: dice.pick(names)!, at: dice.below(quiet.length) })
const drawn = Array.from({ length: LANDINGS }, () => ({ one: throwOne(), other: throwOne() }))
const late = "the agent commits late"
const known = [
  { one: { name: "the checkout's lock is held", at: 2 }, other: { name: late, at: gateRan } },
  { one: { name: "cut", at: gateRan }, other: { name: late, at: gateRan + 1 } },
]

test.concurrent.each([...known, ...drawn])(
  "$one.name at $one.at, and $other.name at $other.at [7.1]",
  { timeout: 180_000 },
  async ({ one, other }) => {
    const strikes = [one, other].map(({ name, at }) => ({ fault: FAULTS[name]!, at }))
    const points = await landFaulted(setting!, arranged, ...strikes)
    expect(points.length).toBeGreaterThan(0)
  },
)
