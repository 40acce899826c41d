/** Slack's own client, a second one, judges the double of Slack: it and Coppice see the same. */
import { LogLevel, retryPolicies, WebClient } from "@slack/web-api"
import { expect, test } from "vitest"
import { sourceOf, startSlack } from "./chat.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"

async function start() {
  const chat = await startSlack()
  const clientOf = (token: string) =>
    new WebClient(token, {
      slackApiUrl: `${chat.url}/`,
      logLevel: LogLevel.ERROR,
      retryConfig: { ...retryPolicies.rapidRetryPolicy, retries: 1 },
      rejectRateLimitedCalls: true,
    })
  return {
    ...{ chat, clientOf, channel: chat.channel },
    // The client writes as the bot `rival`.
    web: clientOf("token-of-rival"),
    source: sourceOf(chat),
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  }
}

test("the client sees how Coppice takes a message, and talks in its thread", async () => {
  await using world = await start()
  const { chat, channel, web, source } = world
  expect(await web.auth.test()).toMatchObject({ ok: true, user_id: chat.idOf("rival") })
  const item = chat.write("alice", `<@${chat.idOf("robot")}> Fix a < b.`)
  expect((await source.list(never)).ready).toEqual([item])
  expect(await source.claim({ item, nonce: NONCE }, never)).toMatchObject({ kind: "claimed" })

  const { messages } = await web.conversations.history({ channel, limit: 10 })
  expect(messages).toMatchObject([
    { ts: item, user: chat.idOf("alice"), reply_count: 1, reactions: [{ name: "robot_face" }] },
  ])
  const posted = await web.chat.postMessage({ channel, thread_ts: item, text: "Which one?" })
  expect(posted.message).toMatchObject({ thread_ts: item, bot_id: "BRIVAL" })
  const replies = await web.conversations.replies({ channel, ts: item })
  expect(replies.messages?.map(({ ts, text }) => [ts === item, text])).toEqual([
    [true, expect.stringContaining("Fix a < b.")],
    [false, expect.stringContaining(NONCE)],
    [false, "Which one?"],
  ])
  await web.chat.delete({ channel, ts: posted.ts ?? "" })
  expect(chat.said(item)).toHaveLength(1)
  const note = await web.chat.postMessage({ channel, text: "To all." })
  expect(note.message).not.toHaveProperty("thread_ts")
  await web.reactions.add({ channel, timestamp: note.ts ?? "", name: "eyes" })
  const again = web.reactions.add({ channel, timestamp: note.ts ?? "", name: "eyes" })
  await expect(again).rejects.toMatchObject({ data: { error: "already_reacted" } })
  await web.reactions.remove({ channel, timestamp: note.ts ?? "", name: "eyes" })
  expect(chat.reactions(note.ts ?? "")).toEqual([])
})

test("the client reads every page, and understands each refusal and each failure", async () => {
  await using world = await start()
  const { chat, channel, web, clientOf } = world
  const written = Array.from({ length: 5 }, (_, n) => chat.write("alice", `Message ${n}`))
  const read: (string | undefined)[] = []
  for await (const page of web.paginate("conversations.history", { channel, limit: 2 })) {
    const { messages = [] } = page as { readonly messages?: readonly { readonly ts?: string }[] }
    read.push(...messages.map(({ ts }) => ts))
  }
  expect(read).toEqual(written.toReversed())

  const bad = clientOf("token-of-nobody").auth.test()
  await expect(bad).rejects.toMatchObject({ data: { error: "invalid_auth" } })
  const elsewhere = web.conversations.history({ channel: "C0000" })
  await expect(elsewhere).rejects.toMatchObject({ data: { error: "channel_not_found" } })
  const body = { ok: false, error: "ratelimited" }
  chat.fail({ how: { status: 429, headers: { "retry-after": "30" }, body }, times: 1 })
  await expect(web.auth.test()).rejects.toMatchObject({ retryAfter: 30 })
  chat.fail({ how: { status: 503, body: {} }, times: 1 })
  expect(await web.auth.test(), "it asks again").toMatchObject({ ok: true })
})
