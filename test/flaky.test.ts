/** A failed test file runs once more, alone: what that makes of the run, and the last lines of a run. */
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { addResult, closing, type Result, readResults, resultOf } from "../scripts/closing.ts"
import type { FileCounts, RunCounts } from "../scripts/count-reporter.ts"
import { judgeFlaky, listAgain, listFlaky, merge, parseFlakyList } from "../scripts/flaky.ts"

const green = (passed = 2): FileCounts => ({ passed, failed: [], skipped: [] })
const red = (file: string): FileCounts => ({ passed: 1, failed: [`${file}: b`], skipped: [] })
const run = (files: Record<string, FileCounts>, stray: string[] = []): RunCounts => ({
  files,
  stray,
})
const result = (over: Partial<Result> = {}): Result => ({
  ...{ passed: 1, failed: [], skipped: [], flaky: [] },
  ...over,
})

test("files that failed run again, but not if more than five did", () => {
  const failing = (count: number) =>
    run(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, red(`${n}`)])))
  expect(listAgain(run({ a: green(), b: red("b") }))).toEqual(["b"])
  expect(listAgain(run({ a: green() }, ["an error that no test caught: x"]))).toEqual([])
  expect(listAgain(failing(5))).toHaveLength(5)
  expect(listAgain(failing(6))).toEqual([])
})

test("a file that passes at its second run is flaky, and its second counts are the ones that count", () => {
  const first = run({ a: green(), b: red("b"), c: red("c") })
  const counts = merge(first, run({ b: green(), c: red("c") }))
  expect(listFlaky(["b", "c"], counts)).toEqual(["b"])
  expect(resultOf(counts, [])).toEqual({ passed: 5, failed: ["c: b"], skipped: [] })
})

test("a second run that finds nothing, or dies, leaves a failure", () => {
  const first = run({ a: red("a"), b: red("b") }, ["an error of no file"])
  const counts = merge(first, run({ a: { ...green(0) } }, ["tests"]))
  expect(listFlaky(["a", "b"], counts)).toEqual([])
  expect(resultOf(counts, ["types"]).failed).toEqual([
    "types",
    "b: b",
    "an error of no file",
    "tests",
  ])
})

test("a listed file that flakes again is a failure, and so are more than three in a run", () => {
  expect(judgeFlaky(["a", "b", "c"], ["d"])).toEqual([])
  expect(judgeFlaky(["a", "b"], ["b"])).toEqual(["b is flaky again: test/flaky.txt lists it"])
  expect(judgeFlaky(["a", "b", "c", "d"], [])).toEqual(["4 files are flaky, and a run may have 3"])
})

test("the last group counts those before it, and the counts are the last line", () => {
  const before = [
    result({ passed: 3, failed: ["e"], flaky: ["a", "b"] }),
    result({ skipped: [{ name: "s", why: "no Mac" }] }),
  ]
  const own = result({ failed: ["f"], skipped: [{ name: "t", why: "" }], flaky: ["c", "d"] })
  expect(closing(before, own, [])).toEqual({
    lines: [
      ...["not run here: s (no Mac)", "not run here: t"],
      ...["flaky: a", "flaky: b", "flaky: c", "flaky: d"],
      ...["failed before: e", "failed: f", "failed: 4 files are flaky, and a run may have 3"],
      "5 passed, 3 failed, 2 skipped",
    ],
    isGreen: false,
  })
  expect(closing([], result({ flaky: ["a"] }), [])).toEqual({
    lines: ["flaky: a", "1 passed, 0 failed"],
    isGreen: true,
  })
})

test("the results of the groups pass through a file", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "results-"))
  const path = join(folder.path, "results")
  expect(readResults(path)).toEqual([])
  const both = [result({ flaky: ["a"] }), result({ passed: 2 })]
  for (const one of both) addResult(path, one)
  expect(readResults(path)).toEqual(both)
})

test("the list of flaky files is read strictly, and holds five", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, n) => `test/${n}.test.ts: a race\n`).join("")
  const read = (text: string) => parseFlakyList(text, (file) => file !== "test/gone.test.ts")
  expect(read("# a comment\n\ntest/a.test.ts: it waits for less than a second\n")).toEqual([
    "test/a.test.ts",
  ])
  expect(read(lines(5))).toHaveLength(5)
  expect(() => read(lines(6))).toThrow("line 6: it lists more than 5 files: mend one")
  for (const line of ["test/a.test.ts", "test/a.test.ts: ", "test/a.ts: why", " test/a.test.ts: x"])
    expect(() => read(line), line).toThrow("line 1: it must be")
  expect(() => read("test/gone.test.ts: why")).toThrow("there is no test/gone.test.ts")
  expect(() => read("test/a.test.ts: x\ntest/a.test.ts: y")).toThrow("line 2: it lists")
})
