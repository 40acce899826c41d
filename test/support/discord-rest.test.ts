/** A client of other authors judges the double of Discord: it and Coppice see the same. */
import { DiscordAPIError, REST } from "@discordjs/rest"
import {
  type RESTGetAPIChannelMessageResult,
  type RESTGetAPIChannelMessagesResult,
  type RESTGetAPICurrentUserResult,
  type RESTPostAPIChannelMessageResult,
  type RESTPostAPIChannelThreadsResult,
  Routes,
} from "discord-api-types/v10"
import { expect, test } from "vitest"
import { sourceOf, startDiscord } from "./chat.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"

async function start() {
  const chat = await startDiscord()
  const api = chat.url.replace(/\/v10$/, "")
  const clientOf = (token: string) => new REST({ api, version: "10", retries: 1 }).setToken(token)
  return {
    ...{ chat, clientOf, channel: chat.channel },
    // The client writes as the bot `rival`.
    rest: clientOf("token-of-rival"),
    source: sourceOf(chat),
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  }
}

test("the client sees how Coppice takes a message, and talks in its thread", async () => {
  await using world = await start()
  const { chat, channel, rest, source } = world
  const self = (await rest.get(Routes.user())) as RESTGetAPICurrentUserResult
  expect(self).toMatchObject({ id: chat.idOf("rival"), bot: true })
  const item = chat.write("alice", `<@${chat.idOf("robot")}> Fix it.`)
  expect((await source.list(never)).ready).toEqual([item])
  expect(await source.claim({ item, nonce: NONCE }, never)).toMatchObject({ kind: "claimed" })

  const route = Routes.channelMessage(channel, item)
  const found = (await rest.get(route)) as RESTGetAPIChannelMessageResult
  expect(found).toMatchObject({
    author: { username: "alice" },
    mentions: [{ id: chat.idOf("robot") }],
    reactions: [{ count: 1, emoji: { name: "🤖" } }],
    thread: { id: item, name: "Fix it." },
  })
  expect(Date.parse(found.timestamp)).toBeGreaterThan(Date.UTC(2026, 0, 1))
  const thread = Routes.channelMessages(item)
  const body = { content: "Which one?" }
  const posted = (await rest.post(thread, { body })) as RESTPostAPIChannelMessageResult
  const said = (await rest.get(thread)) as RESTGetAPIChannelMessagesResult
  expect(said.filter(({ type }) => type === 0).map(({ content }) => content)).toEqual([
    "Which one?",
    expect.stringContaining(NONCE),
  ])
  const eyes = Routes.channelMessageOwnReaction(channel, item, encodeURIComponent("👀"))
  await rest.put(eyes)
  expect(chat.reactions(item)).toContain("👀")
  await rest.delete(eyes)
  expect(chat.reactions(item)).not.toContain("👀")
  await rest.delete(Routes.channelMessage(item, posted.id))
  expect(chat.said(item)).toHaveLength(1)
})

test("the client reads every page, makes a thread, and understands each refusal and failure", async () => {
  await using world = await start()
  const { chat, channel, rest, clientOf } = world
  const written = Array.from({ length: 5 }, (_, n) => chat.write("alice", `Message ${n}`))
  const route = Routes.channelMessages(channel)
  const list = async (query: Record<string, string>) => {
    const found = await rest.get(route, { query: new URLSearchParams({ limit: "2", ...query }) })
    return (found as RESTGetAPIChannelMessagesResult).map(({ id }) => id)
  }
  const [first, second, third, fourth, fifth] = written
  expect(await list({})).toEqual([fifth, fourth])
  expect(await list({ before: fourth! })).toEqual([third, second])
  expect(await list({ after: first! })).toEqual([third, second])

  const threads = Routes.threads(channel, first)
  const body = { name: "Talk", auto_archive_duration: 1440 }
  const made = (await rest.post(threads, { body })) as RESTPostAPIChannelThreadsResult
  expect(made).toMatchObject({ id: first, parent_id: channel, name: "Talk", type: 11 })
  const again = rest.post(threads, { body })
  await expect(again).rejects.toMatchObject({ status: 400, code: 160_004 })
  await expect(again).rejects.toBeInstanceOf(DiscordAPIError)
  await expect(rest.get(Routes.channel("1199999999999999999"))).rejects.toMatchObject({
    code: 10_003,
  })
  await expect(clientOf("none").get(Routes.user())).rejects.toMatchObject({ status: 401 })
  chat.fail({ how: { status: 503, body: {} }, times: 1 })
  expect(await rest.get(Routes.user()), "it asks again").toHaveProperty("id")
  const limit = { message: "You are being rate limited.", retry_after: 0.05, global: false }
  const headers = { "retry-after": "0.05", "x-ratelimit-scope": "user" }
  chat.fail({ how: { status: 429, headers, body: limit }, times: 1 })
  expect(await rest.get(Routes.user()), "it waits, and asks again").toHaveProperty("id")
})
