import fc from "fast-check"
import { expect, test } from "vitest"
import { oneLine } from "../../../base/text/one-line.ts"
import { clean } from "../../../base/text/shown.ts"
import { Output } from "../output.ts"
import { lastPart } from "./columns.ts"
import { formatEvent } from "./progress.ts"
import { formatTable } from "./table.ts"
import { cut, dollars, gist } from "./text.ts"
import { spanText } from "./time.ts"

test("a table lines up, and cuts only what stands last", () => {
  const rows = [
    ["1", "short", "the last cell"],
    ["22", "\x1b[31mcoloured\x1b[39m", "x"],
  ]
  expect(formatTable(rows, 20)).toEqual(["1   short     the l…", "22  \x1b[31mcoloured\x1b[39m  x"])
})

test("nothing that a terminal would obey is left in a clean text", () => {
  const text = fc.string({
    unit: fc.constantFrom("\x1b", "[", "]", "2", "J", ";", "\x07", "\x9b", "a", "\n"),
  })
  fc.assert(
    fc.property(text, (dirty) => {
      expect(clean(dirty)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
    }),
  )
  expect(clean("a\x1b[31;1mred\x1b[0m\tb\n")).toBe("ared\tb\n")
})

test("a text is cut to what fits, with a sign", () => {
  expect([cut("abcdef", 6), cut("abcdef", 4), cut("abcdef", 0)]).toEqual(["abcdef", "abc…", ""])
})

test("a text is cut, padded and put on one line the same, whichever letters it has", () => {
  expect([cut("äbcdef", 4), cut("木bcdef", 4), cut("🌳bcdef", 4)]).toEqual(["äbc…", "木b…", "🌳b…"])
  expect(
    formatTable([
      ["äb", "1"],
      ["🌳b", "2"],
      ["ab", "3"],
    ]),
  ).toEqual(["äb   1", "🌳b  2", "ab   3"])
  expect([lastPart("ab木", 3), lastPart("ab木", 0), cut("e\u0301e\u0301e\u0301", 3)]).toEqual([
    "b木",
    "",
    "e\u0301e\u0301e\u0301",
  ])
  const words = [" a  b ", "a\tb\n", "a\u00a0b", "a\u2028b", "\x1b[31ma\x1b[0m b", "a b"]
  expect(words.map(oneLine)).toEqual(words.map(() => "a b"))
})

test("a span is shown in its largest unit", () => {
  expect([0, 59_999, 60_000, 7_200_000, 200_000_000].map(spanText)).toEqual([
    "0s",
    "59s",
    "1m",
    "2h",
    "2d",
  ])
})

test("a gate is named with its repository if there are several, and with the target", () => {
  const onTarget = { command: "make", onTarget: true }
  expect(told("gate.started", onTarget)).toEqual(["gate on the target alone: make"])
  expect(told("gate.started", { command: "make" })).toEqual(["gate: make"])
  expect(told("gate.started", { command: "make", name: "lib" })).toEqual(["gate of lib: make"])
  const finished = { name: "lib", exitCode: 0, durationMs: 1000 }
  expect(told("gate.finished", finished)).toEqual(["gate of lib passed after 1s"])
  expect(told("gate.finished", { ...finished, ownChange: "a.txt" })).toEqual([
    "gate of lib failed after 1s: it passed on its own change of a.txt",
  ])
})

function told(type: string, data: Record<string, unknown>): string[] {
  const streams = { stdout: process.stdout, stderr: process.stderr }
  const output = new Output(streams, { json: false, env: { NO_COLOR: "1" } })
  const event = { seq: 1, at: "2026-01-01T00:00:00.000Z", type, task: "1", data }
  return formatEvent(output, event).map((line) => line.slice("00:00:00 ".length))
}

test("a watcher sees every turn after the first", () => {
  expect([1, 2].map((n) => told("turn.began", { n }))).toEqual([[], ["turn 2"]])
})

test("a watcher sees the choices of a question, and the files that block a landing", () => {
  expect(told("question.asked", { text: "which?", choices: ["red", "blue"] })).toEqual([
    "the agent asks: which? (1: red, 2: blue)",
  ])
  const paths = ["a", "b", "c", "d"]
  expect(told("landing.blocked", { outcome: "DIRTY_MAIN", reason: "changes", paths })).toEqual([
    "waits: changes: a, b, c and 1 more",
  ])
})

test("a small amount of money is not shown as none", () => {
  expect([0, 0.0016, 0.02, 3].map(dollars)).toEqual(["$0.00", "$0.0016", "$0.02", "$3.00"])
})

test("the gist of a set-up that failed has the cause that npm names, not the place of its log", () => {
  const gistOf = (...said: readonly string[]) =>
    gist(["`npm install` failed.", "npm warn old", ...said, "Run it.", "Set it."].join("\n"))
  const log = "npm error A complete log of this run can be found in: /x.log"
  const missing = [
    ...["npm error code ENOENT", "npm error syscall open", "npm error path /x.tgz"],
    ...["npm error errno -2", "npm error enoent ENOENT: no such file or directory, open '/x.tgz'"],
    ...["npm error enoent This is related to npm not being able to find a file.", log],
  ]
  expect(gistOf(...missing)).toBe(
    "`npm install` failed. … npm error enoent ENOENT: no such file or directory, open '/x.tgz' Run it. Set it.",
  )
  const script = ["npm error code 1", "npm error command failed", "npm error command sh -c x.js"]
  expect(gistOf(...script, log)).toContain("… npm error command sh -c x.js Run it.")
  expect(gistOf("one", "two", "… 9 characters, which the log shows …"), "one cut").toBe(
    "`npm install` failed. … 9 characters, which the log shows … Run it. Set it.",
  )
  expect(gistOf("one", "two", "the cause")).toBe(
    "`npm install` failed. … the cause Run it. Set it.",
  )
})
