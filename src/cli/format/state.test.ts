import { expect, test } from "vitest"
import { grouped } from "./state.ts"

test("what needs a person comes first, then what runs, lands and waits, then what is done", () => {
  const of = (id: string, state: string, attention = false, code = "") => ({
    ...{ id, state, attention },
    reason: code ? { code, text: "" } : null,
  })
  const tasks = [
    ...[of("1", "complete"), of("2", "merging"), of("3", "working"), of("4", "registered")],
    ...[of("5", "stuck", true), of("6", "working", true), of("7", "cancelled"), of("8", "paused")],
    of("9", "working", false, "postponed"),
  ]
  expect(grouped(tasks).map(({ group, tasks }) => [group, tasks.map(({ id }) => id)])).toEqual([
    ["needs you", ["5", "6"]],
    ["running", ["3"]],
    ["landing", ["2"]],
    ["waiting", ["4", "8", "9"]],
    ["done", ["1", "7"]],
  ])
})
