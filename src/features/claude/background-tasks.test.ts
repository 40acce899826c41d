import { expect, test } from "vitest"
import { ClaudeBackground } from "./background-tasks.ts"

test("an error at the end of the time for background tasks fails the conversation", async () => {
  const failed = Promise.withResolvers<unknown>()
  const error = new Error("an image is gone")
  const background = new ClaudeBackground(0, () => Promise.reject(error), failed.resolve)
  background.begin()
  background.awaitEnd()
  expect(await failed.promise).toBe(error)
  await background.timeout
  expect(background.timeout).toBeUndefined()
})
