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

test("no text of others mentions people, becomes a link or hides [41.5]", () => {
  const evil = "<!channel> & @here <http://x|y> ||[home](https://x.example)||`https://y.example`"
  const code = evil.replaceAll("`", "'")
  expect(JSON.parse(noticeBody("slack", evil))).toEqual({
    text: `\`${code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\``,
    parse: "none",
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  })
  expect(JSON.parse(noticeBody("discord", evil))).toEqual({
    content: `\`${code}\``,
    allowed_mentions: { parse: [] },
    flags: 4,
  })
  expect(noticeBody("ntfy", "see https://x.example")).toBe("see https: //x.example")
  const markup = '<a href="https://x.example">Approve</a>'
  expect(noticeBody("desktop", markup)).toBe('‹a href="https://x.example"›Approve‹/a›')
})

test("a run of backticks does not end the code of a message [41.5]", () => {
  for (const text of ["`", "``@here", "a```\n@here", "`` `<!here>` ``"])
    for (const format of ["slack", "discord"] as const) {
      const body = JSON.parse(noticeBody(format, text))
      expect((body.text ?? body.content).slice(1, -1)).not.toContain("`")
    }
})
