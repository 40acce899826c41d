/**
 * The second level for a task in two repositories: a process ends itself with SIGKILL at every point
 * while the targets move. The next start goes on, and both have landed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { bundleLandingMain } from "../support/bundled.ts"
import { arrangePair, expectUndamaged } from "../support/disturbed-pair.ts"
import { draw } from "../support/draw.ts"
import { Pair } from "../support/pair.ts"
import { waitFor } from "../support/wait-for.ts"

const MAIN = await bundleLandingMain()
/** More than landing and its orphans take. */
const MAIN_MS_MAX = 60_000

const arranged = arrangePair()
const stores = mkdtempSync(join(tmpdir(), "kill-several-"))
afterAll(async () => {
  await arranged[Symbol.asyncDispose]()
  rmSync(stores, { recursive: true })
})

async function listPoints(): Promise<readonly string[]> {
  await using pair = new Pair({}, arranged)
  await pair.it.run(pair.it.submit({ branch: "feat" }))
  return pair.it.points
}

/** The other points are those of one repository (kill.test.ts). */
const isBetween = /^(publishing: (decided|one published)|advance:)/
const isDrawn = draw("where a landing in two repositories is killed")
const places = (await listPoints()).map((name, at) => ({ name, at }))
const between = places.filter(({ name }) => isBetween.test(name))
const drawn = between.filter(isDrawn)

test.concurrent.each(drawn.length > 0 ? drawn : between.slice(0, 1))(
  "kill -9 at $at, $name [7.1, 21.3]",
  { timeout: 180_000 },
  async ({ at }) => {
    const dbPath = join(stores, `${at}.db`)
    await using pair = new Pair({ dbPath }, arranged)
    const { it, app } = pair
    const starts = pair.tips()
    const id = it.submit({ branch: "feat" })
    const env = { ...process.env, KILL_AT: String(at) }
    const args = [MAIN, app.folder, app.path, dbPath, String(id)]
    const child = spawn(process.execPath, args, { env, stdio: "ignore", timeout: MAIN_MS_MAX })
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"])
    const killedAt = pair.landed()

    // A git that outlives it still holds its locks for a moment: that is waited for.
    const isOver = async () => (await it.runThrough(id)).state === "landed"
    await waitFor("the landing to land", isOver, MAIN_MS_MAX)
    expect([pair.landed(), killedAt.web && !killedAt.app]).toEqual([
      { app: true, web: true },
      false,
    ])
    expectUndamaged(pair, starts)
  },
)
