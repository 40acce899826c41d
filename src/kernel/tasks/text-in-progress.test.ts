import { expect, test } from "vitest"
import type { TaskId } from "../../base/ids.ts"
import { WRITTEN_CHARS_MAX, Written } from "./text-in-progress.ts"

const TASK = 1 as TaskId

test("a message is shown until the log has its line, and the next one keeps its beginning [38.43]", () => {
  const written = new Written()
  written.add(TASK, "Hello, ")
  written.add(TASK, "world.")
  expect(written.read(TASK)).toBe("Hello, world.")
  written.complete(TASK)
  expect(written.read(TASK)).toBe("Hello, world.")
  written.add(TASK, "Next")
  expect(written.read(TASK)).toBe("Next")
  written.record(TASK)
  written.add(TASK, " one")
  expect(written.read(TASK)).toBe("Next one")
  written.clear(TASK)
  expect(written.read(TASK)).toBe("")
})

test("its memory is bounded, and a long text shows its end [38.43]", () => {
  const written = new Written()
  for (let n = 0; n < 1_000; n++) written.add(TASK, `${n} ${"x".repeat(100)} `)
  expect(written.read(TASK).length).toBe(WRITTEN_CHARS_MAX)
  expect(written.read(TASK)).toMatch(/999 x{100} $/)
  written.complete(TASK)
  written.add(TASK, "y".repeat(2 * WRITTEN_CHARS_MAX))
  expect(written.read(TASK)).toBe("y".repeat(WRITTEN_CHARS_MAX))
  written.record(TASK)
  expect(written.read(TASK).length).toBe(WRITTEN_CHARS_MAX)
})

test("a reader hears of each change of its task alone, until it stops [38.43]", () => {
  const written = new Written()
  let heard = 0
  const stop = written.follow(TASK, () => heard++)
  written.add(2 as TaskId, "no")
  written.clear(TASK)
  expect(heard).toBe(0)
  written.add(TASK, "a")
  written.complete(TASK)
  written.record(TASK)
  expect(heard).toBe(3)
  stop()
  written.add(TASK, "b")
  expect(heard).toBe(3)
})
