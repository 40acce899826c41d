import { expect, test } from "vitest"
import { Output } from "./output.ts"
import { watch } from "./watch.ts"

test("a pipe gets each change once, without terminal codes", async () => {
  let said = ""
  const stdout = { write: (text: string) => (said += text) }
  const output = new Output({ stdout, stderr: stdout }, { json: false, env: {} })
  let stop = () => {}
  const onInterrupt = (end: () => void) => {
    stop = end
    return () => {}
  }
  const words = ["one", "one", "two"]
  await watch({ output, json: false, onInterrupt }, async () => {
    const word = words.shift()!
    if (words.length === 0) stop()
    return { lines: [{ text: word }, { text: "below" }], document: word, isLive: true }
  })
  expect(said).toBe("one\nbelow\n\ntwo\nbelow\n")
})
