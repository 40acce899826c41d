/**
 * A channel of Discord. Our first reply to a message creates its thread, which has the message's id.
 *
 * @see https://docs.discord.com/developers/resources/message
 */
import { z } from "zod"
import { DISCORD_PLAIN } from "../../hooks/rules/notices.ts"
import { RestClient } from "../../rest/client.ts"
import { type ApiRequest, type ApiResponse, exchangeJson } from "../../rest/exchange-json.ts"
import { SourceError } from "../errors.ts"
import { type Answer, checked, mapped, OK } from "../trackers/answer.ts"
import { type ApiParts, type Params, TrackerApi } from "../trackers/api.ts"
import { chained } from "../trackers/pages.ts"
import {
  type Message,
  type Reaction,
  type ReactionChange,
  type Reply,
  type Room,
  reactionsIn,
} from "./room.ts"

const PAGE_SIZE = 100
const EMOJI: Readonly<Record<Reaction, string>> = { working: "🤖", done: "✅", dropped: "🛑" }
/** Discord takes 100 characters. */
const NAME_CHARS_MAX = 80
/** Discord hides a thread after a day of silence. A message shows it again. */
const HIDE_AFTER_MINUTES = 1440

const Id = z.string().regex(/^\d{17,20}$/)
const Self = z.object({ id: Id })
const Channel = z.object({ guild_id: Id.nullish() })

const MessageAnswer = z.object({
  id: Id,
  /** 0: a message, 19: a reply that quotes another message. The others are notices. */
  type: z.int(),
  content: z.string().default(""),
  author: z.object({ id: Id, bot: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
  mentions: z.array(z.object({ id: Id, username: z.string() })).nullish(),
  reactions: z.array(z.object({ emoji: z.object({ name: z.string().nullish() }) })).nullish(),
  thread: z.object({ last_message_id: z.string().nullish() }).nullish(),
})
type MessageAnswer = z.infer<typeof MessageAnswer>

const MessagesAnswer = z.array(MessageAnswer)
type Place = { readonly self: string; readonly guild: string }
type Settings = { readonly apiUrl: string; readonly channel: string }

const MESSAGES = "/channels/{channel}/messages"
const MESSAGE = `${MESSAGES}/{id}`

export class Discord implements Room {
  readonly name: string
  readonly #channel: string
  readonly #api: TrackerApi
  #place: Place | undefined

  constructor({ apiUrl, channel }: Settings, parts: ApiParts) {
    this.name = `The channel ${channel} on Discord`
    this.#channel = channel
    this.#api = new TrackerApi((all) => new RestClient({ ...all, authorize, exchange }), {
      ...parts,
      api: apiUrl,
    })
  }

  async readSelf(signal: AbortSignal): Promise<string> {
    return (await this.#readPlace(signal)).self
  }

  isId(text: string): boolean {
    return Id.safeParse(text).success
  }

  async *messages(
    sinceMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<Answer<readonly Message[]>> {
    const place = await this.#readPlace(signal)
    const first = idAt(sinceMs)
    const pages = chained(async (before) => {
      const page = await this.#list(this.#channel, { before }, signal)
      return mapped(page, (all) => {
        const [last] = all
        const isFull = all.length === PAGE_SIZE && last !== undefined && last.id > first
        return { items: all.toReversed(), next: isFull ? last.id : undefined }
      })
    })
    for await (const page of pages)
      yield mapped(page, (all) =>
        all.filter(({ id }) => id >= first).map((one) => this.#messageOf(one, place)),
      )
  }

  /** The oldest first. */
  async #list(channel: string, query: Params, signal: AbortSignal) {
    const params = { ...query, channel, limit: PAGE_SIZE }
    const answer = checked(MessagesAnswer, await this.#api.ask(`GET ${MESSAGES}`, params, signal))
    return mapped(answer, (all) => all.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
  }

  async find(id: string, signal: AbortSignal): Promise<Answer<Message>> {
    const place = await this.#readPlace(signal)
    const answer = await this.#api.ask(`GET ${MESSAGE}`, { channel: this.#channel, id }, signal)
    return mapped(checked(MessageAnswer, answer), (one) => this.#messageOf(one, place))
  }

  async *replies(
    id: string,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Answer<readonly Reply[]>> {
    const pages = chained(async (last = after ?? id) => {
      const page = await this.#list(id, { after: last }, signal)
      // A message without a thread has no replies yet.
      if (page.kind === "gone") return { ...OK, data: { items: [], next: undefined } }
      return mapped(page, (all) => ({
        items: all,
        next: all.length === PAGE_SIZE ? all.at(-1)?.id : undefined,
      }))
    })
    for await (const page of pages) yield mapped(page, (all) => all.map(replyOf))
  }

  async post(id: string, text: string, signal: AbortSignal): Promise<Answer<Reply>> {
    const message = { channel: id, content: text, ...DISCORD_PLAIN }
    const post = async () =>
      checked(MessageAnswer, await this.#api.ask(`POST ${MESSAGES}`, message, signal))
    let posted = await post()
    if (posted.kind === "gone") {
      const made = await this.#makeThread(id, signal)
      if (made.kind === "gone") return made
      posted = await post()
      if (posted.kind === "gone" && made.kind === "forbidden") return made
    }
    return mapped(posted, replyOf)
  }

  async #makeThread(id: string, signal: AbortSignal): Promise<Answer> {
    const found = await this.find(id, signal)
    if (found.kind !== "ok") return found
    const name = found.data.text.split("\n", 1).join("").slice(0, NAME_CHARS_MAX).trim() || "Task"
    const params = { channel: this.#channel, id, name, auto_archive_duration: HIDE_AFTER_MINUTES }
    return await this.#api.ask(`POST ${MESSAGE}/threads`, params, signal)
  }

  async removeReply(id: string, reply: string, signal: AbortSignal): Promise<Answer> {
    return await this.#api.ask(`DELETE ${MESSAGE}`, { channel: id, id: reply }, signal)
  }

  async react(id: string, change: ReactionChange, signal: AbortSignal): Promise<Answer> {
    for (const [reaction, isSet] of Object.entries(change) as [Reaction, boolean][]) {
      const params = { channel: this.#channel, id, emoji: EMOJI[reaction] }
      const route = `${MESSAGE}/reactions/{emoji}/@me`
      const answer = await this.#api.ask(`${isSet ? "PUT" : "DELETE"} ${route}`, params, signal)
      if (answer.kind === "forbidden" || (answer.kind === "gone" && isSet)) return answer
    }
    return OK
  }

  async #readPlace(signal: AbortSignal): Promise<Place> {
    if (this.#place) return this.#place
    const user = checked(Self, await this.#api.ask("GET /users/@me", {}, signal))
    if (user.kind !== "ok")
      throw new SourceError("source.refused", "Discord does not say whose token it is.")
    const asked = await this.#api.ask("GET /channels/{channel}", { channel: this.#channel }, signal)
    const channel = checked(Channel, asked)
    if (channel.kind !== "ok")
      throw new SourceError(
        "source.refused",
        `${this.name} does not exist, or the bot may not see it.`,
      )
    this.#place = { self: user.data.id, guild: channel.data.guild_id ?? "@me" }
    return this.#place
  }

  #messageOf(answer: MessageAnswer, { self, guild }: Place): Message {
    const names = answer.reactions?.map(({ emoji }) => emoji.name) ?? []
    const mention = new RegExp(`<@!?${self}>`, "g")
    const content = answer.content.replace(mention, "")
    return {
      ...replyOf({ ...answer, content }),
      mentionsUs: content !== answer.content,
      reactions: reactionsIn(EMOJI, names),
      lastReply: answer.thread?.last_message_id ?? undefined,
      address: `https://discord.com/channels/${guild}/${this.#channel}/${answer.id}`,
    }
  }
}

/** Discord refuses requests whose user agent has another form. */
const authorize = (token: string) => ({
  authorization: `Bot ${token}`,
  "user-agent": "DiscordBot (coppice, 0)",
})

/** Every answer has rate-limit headers. Only 429 means that the limit is reached; 403 means no permission. */
async function exchange(request: ApiRequest): Promise<ApiResponse> {
  const response = await exchangeJson(request)
  if (response.status === 403) response.headers.delete("x-ratelimit-remaining")
  return response
}

/** The lowest id of a moment. Ids count milliseconds from Discord's epoch. */
function idAt(timeMs: number): string {
  const sinceEpochMs = BigInt(Math.max(0, Math.trunc(timeMs) - EPOCH_MS))
  return String(sinceEpochMs << 22n).padStart(ID_DIGITS, "0")
}
const EPOCH_MS = Date.UTC(2015, 0, 1)
const ID_DIGITS = 19

function replyOf({ id, type, content, author, webhook_id: hook, mentions }: MessageAnswer): Reply {
  const isPerson = (type === 0 || type === 19) && author.bot !== true && !hook
  const text = content.replace(/<@!?(\d+)>/g, (whole, user: string) => {
    const named = mentions?.find((one) => one.id === user)
    return named ? `@${named.username}` : whole
  })
  return { id, author: author.id, text: text.trim(), isPerson }
}
