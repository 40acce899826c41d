import { expect, test } from "vitest"

test("a pattern in an expected value matches a text, and no other text passes", () => {
  expect([{ text: "abc" }]).toMatchObject([{ text: /b/ }])
  expect({ text: "abc" }).toEqual({ text: /b/ })
  expect(() => expect([{ text: "abc" }]).toMatchObject([{ text: /x/ }])).toThrow("/x/")
  expect(() => expect({ text: "abc" }).toMatchObject({ text: /x/ })).toThrow("/x/")
})
