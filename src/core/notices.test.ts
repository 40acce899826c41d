import { expect, test } from "vitest"
import { noticeBody, noticeText } from "./notices.ts"

const told = { id: "3", title: "Fix it", state: "stuck", reason: { text: "which colour?" } }

test("a notification is one short line, without hidden characters [41.5]", () => {
  expect(noticeText(told)).toBe("Task 3 needs you: Fix it: which colour?")
  expect(noticeText({ ...told, title: "a\u202eb\nc\x1b[31m", reason: null })).toBe(
    "Task 3 needs you: ab c: stuck",
  )
  expect(noticeText({ ...told, title: "x".repeat(9_000) })).toHaveLength(501)
})

test("no text of others mentions people or becomes a link [41.5]", () => {
  expect(JSON.parse(noticeBody("slack", "<!channel> & <http://x|y>"))).toEqual({
    text: "&lt;!channel&gt; &amp; &lt;http://x|y&gt;",
  })
  expect(JSON.parse(noticeBody("discord", "@everyone [home](https://x.example)"))).toEqual({
    content: "@everyone \\[home](https://x.example)",
    allowed_mentions: { parse: [] },
  })
  expect(noticeBody("discord", "\\[home](x)")).toContain(String.raw`\\\\\\[home](x)`)
  expect(noticeBody("ntfy", "words")).toBe("words")
})
