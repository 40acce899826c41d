import { expect, test } from "vitest"
import { type NoticeFormat, noticeRequest, noticeText } from "./notices.ts"

const noticeBody = (format: NoticeFormat, text: string) =>
  noticeRequest(format, text, undefined).body

const told = {
  id: "3",
  title: "Fix it",
  state: "stuck",
  reason: { code: "failed", text: "which colour?" },
}

test("a notification is one short line, without hidden characters [41.5]", () => {
  expect(noticeText(told)).toBe("Task 3 needs you: Fix it: which colour?")
  expect(noticeText({ ...told, title: "a\u202eb\nc\x1b[31m", reason: null })).toBe(
    "Task 3 needs you: ab c: stuck",
  )
  expect(noticeBody("ntfy", "x".repeat(9_000))).toBe(`${"x".repeat(500)}… (8500 more bytes)`)
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

const links = {
  page: "https://c.example/#/task/3",
  actions: [
    { action: "approve", url: "https://c.example/act/1-a" },
    { action: "answer", url: "https://c.example/act/2-b" },
  ],
} as const

test("where the reader reaches the dashboard, a message links to the task, and has a button for each act [41.7]", () => {
  const slack = JSON.parse(noticeRequest("slack", "<!here>", links).body)
  expect(slack.text).toBe("`&lt;!here&gt;`")
  expect(slack.blocks[0]).toEqual({
    type: "section",
    text: { type: "mrkdwn", text: "`&lt;!here&gt;`", verbatim: true },
  })
  const shown = slack.blocks[1].elements.map((one: { text: { text: string }; url: string }) => [
    one.text.text,
    one.url,
  ])
  const buttons = [
    ["Approve", "https://c.example/act/1-a"],
    ["Answer", "https://c.example/act/2-b"],
    ["Look at it", "https://c.example/#/task/3"],
  ]
  expect(shown).toEqual(buttons)
  const discord = noticeRequest("discord", "x", links)
  expect(discord.query).toEqual(["with_components", "true"])
  expect(JSON.parse(discord.body).components).toEqual([
    { type: 1, components: buttons.map(([label, url]) => ({ type: 2, style: 5, label, url })) },
  ])
  expect(noticeRequest("ntfy", "x", links).headers).toEqual({
    Click: "https://c.example/#/task/3",
    Actions: "view, Approve, https://c.example/act/1-a; view, Answer, https://c.example/act/2-b",
  })
  expect(noticeRequest("desktop", "<b>", links).body).toBe("‹b›\nhttps://c.example/#/task/3")
})
