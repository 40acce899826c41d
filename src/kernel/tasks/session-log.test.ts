/** The log of a task while its agent runs. */
import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import { listLog } from "../store/log/list.ts"
import { openDb } from "../store/open.ts"
import { SessionLog } from "./session-log.ts"
import { Written } from "./text-in-progress.ts"

function withLog() {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const log = new SessionLog({ db, world, written: new Written() }, id)
  const lines = () => listLog(db, { task: id, after: 0, limit: 2_000 })
  return { db, log, lines }
}

test("of what a tool printed, the start and the end are kept, with the name of its use [12.25]", () => {
  const { log, lines } = withLog()
  log.push({ kind: "tool", text: "Bash: npm test", call: "a" })
  log.push({ kind: "output", text: `begin ${"x".repeat(50_000)} the cause`, call: "a" })
  log.push({ kind: "text", text: "y".repeat(9_000) })
  log.flush()
  const [use, output, said] = lines()
  expect(use).toMatchObject({ text: "Bash: npm test", call: "a" })
  expect(output).toMatchObject({ kind: "output", call: "a" })
  expect(output!.text).toMatch(/^begin x+\n… 46016 characters are not kept …\nx+ the cause$/)
  expect(output!.text.length).toBeLessThan(4_100)
  expect(said).toMatchObject({ text: "y".repeat(9_000), call: null })
})

test("a thousand long outputs take less than 6 MB of the database [12.25]", () => {
  const { db, log, lines } = withLog()
  for (let n = 0; n < 1_000; n++) {
    log.push({ kind: "tool", text: `Bash: npm test ${n}`, call: `toolu_${n}` })
    log.push({ kind: "output", text: "z".repeat(30_000), call: `toolu_${n}` })
  }
  log.flush()
  expect(lines()).toHaveLength(2_000)
  const pages = Number(db.pragma("page_count", { simple: true }))
  expect(pages * Number(db.pragma("page_size", { simple: true }))).toBeLessThan(6_000_000)
})
