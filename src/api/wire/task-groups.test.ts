import { expect, test } from "vitest"
import { grouped } from "./task-groups.ts"

test("tasks that need a person come first, then running, landing, waiting and finished ones", () => {
  const of = (id: string, state: string, attention = false, code = "") => ({
    id,
    state,
    attention,
    reason: code ? { code, text: "" } : null,
    landing: null,
    agent: id === "11" ? null : "sh",
  })
  const tasks = [
    ...[of("1", "complete"), of("2", "merging"), of("3", "working"), of("4", "registered")],
    ...[of("5", "stuck", true), of("6", "working", true), of("7", "cancelled"), of("8", "paused")],
    of("9", "working", false, "postponed"),
    { ...of("10", "merging"), landing: { state: "waiting" } },
    of("11", "working"),
  ]
  expect(grouped(tasks).map(({ group, tasks }) => [group, tasks.map(({ id }) => id)])).toEqual([
    ["needs you", ["5", "6"]],
    ["running", ["3"]],
    ["landing", ["2"]],
    ["waiting", ["4", "8", "9", "10", "11"]],
    ["done", ["1", "7"]],
  ])
})
