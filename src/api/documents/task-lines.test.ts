import { expect, test } from "vitest"
import { addSampleLanding, forceState } from "../../../test/support/store.ts"
import { openDb } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import { taskLines } from "./task-lines.ts"

test("a landing that the user's files block for a minute needs the user [12.16]", () => {
  const db = openDb(":memory:")
  const { id, task } = addSampleLanding(db)
  forceState(db, task, "merging")
  const attention = (sinceMs: number) => {
    const set = "update landings set state = 'waiting', outcome = 'DIRTY_MAIN', since = :sinceMs"
    sql(db, `${set} where id = :id`).run({ id, sinceMs })
    const quiet = {
      findRest: () => null,
      findStep: () => null,
      findBounds: () => [],
      findWait: () => undefined,
      features: [],
    }
    return taskLines({ db, ...quiet }).tasks[0]?.attention
  }
  expect(attention(Date.now())).toBe(false)
  expect(attention(Date.now() - 61_000)).toBe(true)
})
