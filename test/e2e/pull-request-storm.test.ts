/** A few kills of the storm over pull requests that `npm run prove` makes; `KILLS` and `SEED` choose others. */
import { expect, test } from "vitest"
import { stormPulls } from "../../prove/pull-requests/storm.ts"

const KILLS = Number(process.env["KILLS"] ?? 5)
const SEED = Number(process.env["SEED"] ?? 41)

test("a pull request is opened once, and a person's push stays, whenever the daemon dies [42.2, 42.4]", {
  timeout: 600_000 + KILLS * 20_000,
}, async () => {
  const { signal } = new AbortController()
  const tell = (line: string) => console.log(line)
  const { counts, violations } = await stormPulls({ kills: KILLS, seed: SEED, signal, tell })
  console.log(JSON.stringify(counts, null, 1))
  expect(violations).toEqual([])
  expect(counts).toHaveProperty("landed")
})
