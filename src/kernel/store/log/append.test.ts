import fc from "fast-check"
import { expect, test } from "vitest"
import { addSampleTask } from "../../../../test/support/store.ts"
import { openDb } from "../open.ts"
import { appendLog, LOG_TEXT_BYTES_MAX } from "./append.ts"
import { listLog } from "./list.ts"

test("a log is read page by page, each task's own", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const { id: other } = addSampleTask(db)
  const say = (of: typeof task, text: string) =>
    appendLog(db, { task: of, turn: 1, kind: "text", text }, 5)
  const [one, , two, three] = [
    say(task, "one"),
    say(other, "elsewhere"),
    say(task, "two"),
    say(task, "three"),
  ]
  expect(one).toEqual({ seq: 1, atMs: 5, task, turn: 1, kind: "text", text: "one", call: null })
  expect(listLog(db, { task, after: 0, limit: 2 })).toEqual([one, two])
  expect(listLog(db, { task, after: two!.seq, limit: 2 })).toEqual([three])
})

test("text is kept as it is up to its bound, and cut with a mark beyond it", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const stored = (text: string) => appendLog(db, { task, turn: 1, kind: "output", text }, 5).text
  const fitting = "ü".repeat(LOG_TEXT_BYTES_MAX / 2)
  expect(stored(fitting)).toBe(fitting)

  const check = (start: string, character: string) => {
    const text = start + character.repeat(LOG_TEXT_BYTES_MAX + 1)
    const [kept, mark] = stored(text).split("\n[cut: ")
    expect(text.startsWith(kept!)).toBe(true)
    expect(mark).toBe(`${Buffer.byteLength(text)} bytes in all]`)
    const bytes = Buffer.byteLength(stored(text))
    expect(bytes).toBeLessThanOrEqual(LOG_TEXT_BYTES_MAX)
    expect(bytes).toBeGreaterThan(LOG_TEXT_BYTES_MAX - 4)
  }
  const starts = fc.constantFrom("", "a", "ab", "abc")
  fc.assert(fc.property(starts, fc.constantFrom("a", "ü", "漢", "🌳"), check), { numRuns: 30 })
})

test("any text comes back as it was", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const check = (text: string) => {
    const { seq } = appendLog(db, { task, turn: 1, kind: "text", text }, 5)
    expect(listLog(db, { task, after: seq - 1, limit: 1 })).toMatchObject([{ text }])
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), check))
})
