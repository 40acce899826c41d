import { expect, test } from "vitest"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { openDb } from "../../store/open.ts"
import { findGateResult, recordGateResult } from "./gate-results.ts"

test("a gate's result is remembered for its tree, command and environment alone [11.3]", () => {
  const db = openDb(":memory:")
  const key = { tree: "1".repeat(40) as Oid, command: "npm test", environment: "node24" }
  const result = { ...key, exitCode: 1, output: "1 failed\n", durationMs: 1200, wrote: null }
  expect(findGateResult(db, key)).toBeUndefined()
  recordGateResult(db, result, 5)
  expect(findGateResult(db, key)).toEqual({ ...result, atMs: 5 })
  for (const other of [{ tree: "2".repeat(40) as Oid }, { command: "true" }, { environment: "" }])
    expect(findGateResult(db, { ...key, ...other })).toBeUndefined()
  const wrote = { changed: ["a" as GitPath], made: ["b\xe4" as GitPath], diff: "+ä\n" }
  recordGateResult(db, { ...result, exitCode: 0, wrote }, 6)
  expect(findGateResult(db, key)).toEqual({ ...result, exitCode: 0, wrote, atMs: 6 })
})
