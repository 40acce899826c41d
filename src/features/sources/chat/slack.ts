/** A channel of Slack. */
import { z } from "zod"
import { escapeSlack, SLACK_PLAIN } from "../../hooks/rules/notices.ts"
import { SourceError } from "../errors.ts"
import { type Answer, checked, GONE, mapped, OK } from "../trackers/answer.ts"
import type { ApiParts, Params, TrackerApi } from "../trackers/api.ts"
import { chained } from "../trackers/pages.ts"
import {
  type Message,
  type Reaction,
  type ReactionChange,
  type Reply,
  type Room,
  reactionsIn,
} from "./room.ts"
import { slackApi } from "./slack-api.ts"
import { readSlack } from "./slack-text.ts"

/** Slack asks apps to request no more. */
const PAGE_SIZE = 200
const EMOJI: Readonly<Record<Reaction, string>> = {
  working: "robot_face",
  done: "white_check_mark",
  dropped: "octagonal_sign",
}

const Self = z.object({ user_id: z.string(), url: z.url() })

const MessageAnswer = z.object({
  ts: z.string(),
  text: z.string().default(""),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  /** Set for notices, and for messages with a file or written with `/me`. */
  subtype: z.string().nullish(),
  thread_ts: z.string().nullish(),
  latest_reply: z.string().nullish(),
  reactions: z.array(z.object({ name: z.string() })).nullish(),
})
type MessageAnswer = z.infer<typeof MessageAnswer>

const MessagesAnswer = z.object({
  messages: z.array(MessageAnswer),
  response_metadata: z.object({ next_cursor: z.string().nullish() }).nullish(),
})

const PostedAnswer = z.object({ message: MessageAnswer })

/** Kinds of messages that people write. */
const OF_PEOPLE = ["file_share", "me_message", "thread_broadcast"]

type Settings = { readonly apiUrl: string; readonly channel: string }

export class Slack implements Room {
  readonly name: string
  readonly #channel: string
  readonly #api: TrackerApi
  #self: z.infer<typeof Self> | undefined

  constructor({ apiUrl, channel }: Settings, parts: ApiParts) {
    this.name = `The channel ${channel} on Slack`
    this.#channel = channel
    this.#api = slackApi(apiUrl, parts)
  }

  async readSelf(signal: AbortSignal): Promise<string> {
    return (await this.#readAccount(signal)).user_id
  }

  isId(text: string): boolean {
    return /^\d{10}\.\d{6}$/.test(text)
  }

  async *messages(
    sinceMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<Answer<readonly Message[]>> {
    const self = await this.#readAccount(signal)
    const query = { oldest: (sinceMs / 1000).toFixed(6) }
    for await (const page of this.#pages("conversations.history", query, signal))
      yield mapped(page, (all) => all.filter(isFirst).map((one) => this.#messageOf(one, self)))
  }

  #pages(method: string, query: Params, signal: AbortSignal) {
    const always = { ...query, channel: this.#channel, limit: PAGE_SIZE }
    return chained(async (cursor) => {
      const answer = await this.#api.ask(`GET /${method}`, { ...always, cursor }, signal)
      return mapped(
        checked(MessagesAnswer, answer),
        ({ messages, response_metadata: metadata }) => ({
          items: messages,
          next: metadata?.next_cursor || undefined,
        }),
      )
    })
  }

  async find(id: string, signal: AbortSignal): Promise<Answer<Message>> {
    const self = await this.#readAccount(signal)
    const query = { channel: this.#channel, ts: id, limit: 1 }
    const answer = await this.#api.ask("GET /conversations.replies", query, signal)
    const found = checked(MessagesAnswer, answer)
    if (found.kind !== "ok") return found
    const message = found.data.messages.find(({ ts }) => ts === id)
    if (!message || !isFirst(message)) return GONE
    return { kind: "ok", data: this.#messageOf(message, self), hasNext: false }
  }

  /** Slack puts the message itself before its replies. */
  async *replies(
    id: string,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Answer<readonly Reply[]>> {
    const query = { ts: id, ...(after !== undefined && { oldest: after }) }
    for await (const page of this.#pages("conversations.replies", query, signal))
      yield mapped(page, (all) => all.filter(({ ts }) => ts !== id && ts !== after).map(replyOf))
  }

  async post(id: string, text: string, signal: AbortSignal): Promise<Answer<Reply>> {
    const message = {
      channel: this.#channel,
      thread_ts: id,
      text: escapeSlack(text),
      ...SLACK_PLAIN,
    }
    const answer = await this.#api.ask("POST /chat.postMessage", message, signal)
    return mapped(checked(PostedAnswer, answer), (posted) => replyOf(posted.message))
  }

  async removeReply(_: string, reply: string, signal: AbortSignal): Promise<Answer> {
    return await this.#api.ask("POST /chat.delete", { channel: this.#channel, ts: reply }, signal)
  }

  async react(id: string, change: ReactionChange, signal: AbortSignal): Promise<Answer> {
    for (const [reaction, isSet] of Object.entries(change) as [Reaction, boolean][]) {
      const params = { channel: this.#channel, timestamp: id, name: EMOJI[reaction] }
      const method = isSet ? "reactions.add" : "reactions.remove"
      const answer = await this.#api.ask(`POST /${method}`, params, signal)
      const isAlreadySo = answer.kind === "forbidden" && ALREADY_SO.test(answer.why)
      if (answer.kind !== "ok" && !isAlreadySo) return answer
    }
    return OK
  }

  async #readAccount(signal: AbortSignal): Promise<z.infer<typeof Self>> {
    if (this.#self) return this.#self
    const answer = checked(Self, await this.#api.ask("GET /auth.test", {}, signal))
    if (answer.kind !== "ok")
      throw new SourceError("source.refused", "Slack does not say whose token it is.")
    this.#self = answer.data
    return answer.data
  }

  #messageOf(answer: MessageAnswer, self: z.infer<typeof Self>): Message {
    const names = answer.reactions?.map(({ name }) => name) ?? []
    const text = answer.text.replace(new RegExp(`<@${self.user_id}(\\|[^>]*)?>`, "g"), "")
    const place = `archives/${this.#channel}/p${answer.ts.replace(".", "")}`
    return {
      ...replyOf({ ...answer, text }),
      mentionsUs: text !== answer.text,
      reactions: reactionsIn(EMOJI, names),
      lastReply: answer.latest_reply ?? undefined,
      address: new URL(place, self.url).href,
    }
  }
}

const ALREADY_SO = /^(already_reacted|no_reaction)/

/** Whether it starts a thread. A reply that was also sent to the channel does not. */
const isFirst = ({ ts, thread_ts: first }: MessageAnswer) => !first || first === ts

function replyOf({ ts, text, user, bot_id: bot, subtype }: MessageAnswer): Reply {
  const isPerson = user !== undefined && !bot && (!subtype || OF_PEOPLE.includes(subtype))
  return { id: ts, author: user ?? bot ?? `of ${ts}`, text: readSlack(text).trim(), isPerson }
}
