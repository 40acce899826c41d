import { expect, test } from "vitest"
import { Output } from "./output.ts"
import { watch } from "./watch.ts"

/** Shows `one`, then `two`, and is ended then. @returns what was written. */
async function watched(terminal: { isTTY?: boolean; columns?: number; rows?: number }) {
  let said = ""
  const stdout = { ...terminal, write: (text: string) => (said += text) }
  const output = new Output({ stdout, stderr: stdout }, { json: false, env: {} })
  let stop = () => {}
  const onInterrupt = (end: () => void) => {
    stop = end
    return () => {}
  }
  let looks = 0
  await watch({ output, json: false, onInterrupt }, async () => {
    looks += 1
    if (looks === 2) stop()
    const word = looks === 1 ? "one" : "two"
    return { lines: [word, "below", "cut off"], document: word }
  })
  return said
}

test.concurrent("a terminal is redrawn in place, cut to its height, and restored at the end", async () => {
  const said = await watched({ isTTY: true, columns: 80, rows: 2 })
  expect(said).toMatch(/^\x1b\[\?1049h.*one.*below.*\x1b\[H.*two.*below.*\x1b\[\?1049l$/s)
  expect(said).not.toContain("cut off")
  expect(await watched({ isTTY: true, columns: 0, rows: 0 })).toContain("cut off")
})

test.concurrent("a pipe gets each change once, without terminal codes", async () => {
  const whole = (word: string) => `${word}\nbelow\ncut off\n`
  expect(await watched({})).toBe(`${whole("one")}\n${whole("two")}`)
})
