import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { assert } from "../../base/assert.ts"
import { parseConfig } from "../../config/parse.ts"
import { keepingGits } from "../../kernel/git/start/trace-commands.ts"
import { openDb } from "../../kernel/store/open.ts"
import { recordSetUpCost } from "../../kernel/workspaces/rows/set-up-costs.ts"
import { listPoolPlaces } from "./pools.ts"

test("git is asked about a repository only where its set-up is slow enough for a pool", async () => {
  using repo = new TestRepo()
  const db = openDb(":memory:")
  const parsed = parseConfig("version: 1\nrepos:\n  app: { path: . }\n", {}, "app")
  assert(parsed.kind === "ok", "the configuration is right")
  const world = { nowMs: () => 1, dice: () => 0, point: () => {} }
  const home = { home: repo.path, db, config: () => parsed.config, world }
  const list = async () => {
    const gits: string[] = []
    const places = await keepingGits(
      (lines) => gits.push(...lines),
      () => listPoolPlaces(home),
    )
    return { places: places.length, isAsked: gits.length > 0 }
  }
  recordSetUpCost(db, { name: "app", ms: 1_000, files: 10, at: 1 })
  expect(await list()).toEqual({ places: 0, isAsked: false })
  recordSetUpCost(db, { name: "app", ms: 60_000, files: 10, at: 1 })
  expect(await list()).toEqual({ places: 1, isAsked: true })
})
