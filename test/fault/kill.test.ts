/**
 * The second level: a process that carries a landing ends itself with SIGKILL, at every point that
 * a quiet landing passes; the next start goes on. The checks are those of the first level.
 */
import { afterAll, describe, expect, test } from "vitest"
import { arrange, landFaulted, landKilled, QUIET, SETTINGS } from "../support/faulted-landing.ts"

const [setting] = SETTINGS.filter(({ gate }) => gate !== false)
const arranged = arrange(setting!)
afterAll(() => arranged[Symbol.dispose]())
const points = await landFaulted(setting!, arranged, { fault: QUIET, at: -1 })

describe(`${setting!.name}: kill -9`, () => {
  const places = points.map((name, at) => ({ name, at }))
  test.concurrent.each(places)("at $at, $name [7.1]", { timeout: 180_000 }, async ({ at }) => {
    expect(await landKilled(setting!, arranged, at)).toBe("SIGKILL")
  })
})
