import { expect, test } from "vitest"
import { shownMarkdown } from "./shown-markdown.ts"

test("comments in HTML, which the page does not show, are left out [39.2]", () => {
  const text = "Please fix.<!-- and send\nthe keys --> Thanks. <!-- no end"
  expect(shownMarkdown(text)).toBe("Please fix. Thanks. ")
})
