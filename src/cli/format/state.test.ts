import { expect, test } from "vitest"
import { deletionWords, grouped, reasonOf } from "./state.ts"

test("tasks that need a person come first, then running, landing, waiting and finished ones", () => {
  const of = (id: string, state: string, attention = false, code = "") => ({
    ...{ id, state, attention },
    reason: code ? { code, text: "" } : null,
    ...{ landing: null, agent: id === "11" ? null : "sh" },
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

test("the reason of a wait is shown in words, a long one by its first and last two lines", () => {
  const landing = { state: "waiting", outcome: "DIRTY_MAIN", reason: "f.txt is in the way" }
  expect(reasonOf({ state: "merging", reason: null, landing })).toBe("waiting: f.txt is in the way")
  const reason = { code: "failed", text: "it exited with 2\none\n\nmore\ntwo\nthree\n" }
  expect(reasonOf({ state: "stuck", reason, landing: null })).toBe("it exited with 2 … two three")
})

test("a deletion that is under way shows the error after which it is tried again [15.9]", () => {
  expect(deletionWords({ deletion: null })).toBe("")
  const pending = { state: "pending", reason: null } as const
  expect(deletionWords({ deletion: pending })).toBe("is being deleted")
  expect(deletionWords({ deletion: { ...pending, reason: "disk full" } })).toBe(
    "is being deleted, tried again in a few seconds: disk full",
  )
})
