/** One channel of the Discord double, with its threads: its state and its routes. */
import {
  type APIMessage,
  type APIPublicThreadChannel,
  type APIUser,
  ChannelType,
  type MessageType,
  ThreadAutoArchiveDuration,
} from "discord-api-types/v10"
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"

export type DiscordMessage = {
  readonly id: string
  /** The id of the thread of a message is that of the message. */
  readonly channel: string
  content: string
  readonly author: string
  readonly isBot: boolean
  readonly type: number
  /** The users of each reaction. */
  readonly reactions: Map<string, Set<string>>
  /** As the bot asked: no mention in it has an effect. */
  readonly allowed?: unknown
}

type Call = ApiCall<DiscordState>

export const DISCORD_CHANNEL = "1100000000000000001"
const GUILD = "1100000000000000002"
const ERA_MS = Date.UTC(2015, 0, 1)

/** The ids of users, by name. */
export const DISCORD_USERS: Readonly<Record<string, string>> = {
  robot: "1100000000000000010",
  rival: "1100000000000000011",
  alice: "1100000000000000020",
  mallory: "1100000000000000021",
}

export class DiscordState {
  readonly messages: DiscordMessage[] = []
  /** Each with its name. */
  readonly threads = new Map<string, string>()
  readonly nowMs: () => number
  #last = 0n

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  /** A person writes, into the channel or a thread. */
  write(author: string, content: string, more: Partial<DiscordMessage> = {}): DiscordMessage {
    const now = BigInt(this.nowMs() - ERA_MS) << 22n
    this.#last = now > this.#last ? now : this.#last + 1n
    const made = {
      id: String(this.#last),
      channel: DISCORD_CHANNEL,
      content,
      author,
      isBot: false,
      type: 0,
      reactions: new Map(),
      ...more,
    }
    this.messages.push(made)
    return made
  }

  find(channel: unknown, id: unknown): DiscordMessage | undefined {
    return this.messages.find((one) => one.channel === channel && one.id === id)
  }

  listOf(channel: unknown): DiscordMessage[] {
    return this.messages.filter((one) => one.channel === channel)
  }

  remove(message: DiscordMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1)
  }

  /** The texts of a thread that bots and people wrote. */
  said(id: string): string[] {
    return this.listOf(id).flatMap(({ content, type }) => (type === 0 ? [content] : []))
  }
}

const MISSING: Reply = { status: 404, body: { message: "Unknown Channel", code: 10003 } }
const NO_MESSAGE: Reply = { status: 404, body: { message: "Unknown Message", code: 10008 } }
const HAS_THREAD: Reply = {
  status: 400,
  body: { message: "A thread has already been created for this message", code: 160004 },
}

const nameOf = (user: string) =>
  Object.entries(DISCORD_USERS).find(([, one]) => one === user)?.[0] ?? "user"

const userDocument = (id: string, isBot = false): APIUser => ({
  id,
  username: nameOf(id),
  discriminator: "0",
  global_name: null,
  avatar: null,
  ...(isBot && { bot: true }),
})

/** The client's types say what Discord sends. */
function documentOf(state: DiscordState, message: DiscordMessage): APIMessage {
  const { id, content, author, isBot, type, reactions, channel } = message
  return {
    id,
    channel_id: channel,
    type: type as MessageType.Default,
    content,
    author: userDocument(author, isBot),
    timestamp: new Date(Number(BigInt(id) >> 22n) + ERA_MS).toISOString(),
    edited_timestamp: null,
    tts: false,
    pinned: false,
    mention_everyone: false,
    mention_roles: [],
    mentions: Object.values(DISCORD_USERS)
      .filter((one) => content.includes(`<@${one}>`))
      .map((one) => userDocument(one)),
    attachments: [],
    embeds: [],
    reactions: [...reactions].map(([emoji, users]) => ({
      emoji: { id: null, name: emoji },
      count: users.size,
      count_details: { burst: 0, normal: users.size },
      me: false,
      me_burst: false,
      burst_colors: [],
    })),
    ...(state.threads.has(id) && { thread: threadDocument(state, id) }),
  }
}

const threadDocument = (state: DiscordState, id: string): APIPublicThreadChannel => ({
  id,
  type: ChannelType.PublicThread,
  name: state.threads.get(id) ?? "",
  guild_id: GUILD,
  parent_id: DISCORD_CHANNEL,
  last_message_id: state.listOf(id).at(-1)?.id ?? null,
  applied_tags: [],
  rate_limit_per_user: 0,
  thread_metadata: {
    archived: false,
    locked: false,
    auto_archive_duration: ThreadAutoArchiveDuration.OneDay,
    archive_timestamp: new Date(ERA_MS).toISOString(),
  },
})

const exists = (state: DiscordState, id: string) => id === DISCORD_CHANNEL || state.threads.has(id)

const inChannel = (act: (call: Call, channel: string) => Reply) => (call: Call) => {
  const { channel = "" } = call.params
  return exists(call.state, channel) ? act(call, channel) : MISSING
}

const ofMessage = (act: (message: DiscordMessage, call: Call) => Reply) =>
  inChannel((call, channel) => {
    const found = call.state.find(channel, call.params["id"])
    return found ? act(found, call) : NO_MESSAGE
  })

/** Always the newest first; `after` counts from that message on. */
const list = inChannel(({ query, state }, channel) => {
  const limit = Number(query.get("limit") ?? 50)
  const [before, after] = [query.get("before"), query.get("after")]
  const all = state.listOf(channel)
  const found =
    after === null
      ? all.filter(({ id }) => before === null || id < before).slice(-limit)
      : all.filter(({ id }) => id > after).slice(0, limit)
  return {
    status: 200,
    isWhole: true,
    body: found.toReversed().map((one) => documentOf(state, one)),
  }
})

const idOf = (login: string) => DISCORD_USERS[login] ?? ""

const post = inChannel(({ body, login, state }, channel) => {
  const content = String(body["content"] ?? "")
  if (content === "" || content.length > 2000)
    return { status: 400, body: { message: "Invalid Form Body", code: 50035 } }
  const allowed = body["allowed_mentions"]
  const made = state.write(idOf(login), content, { channel, isBot: true, allowed })
  return { status: 200, body: documentOf(state, made) }
})

const makeThread = ofMessage((message, { body, state }) => {
  if (state.threads.has(message.id)) return HAS_THREAD
  state.threads.set(message.id, String(body["name"]))
  state.write(message.author, "", { channel: message.id, type: 21 })
  return { status: 201, body: threadDocument(state, message.id) }
})

const removeMessage = ofMessage((message, { login, state }) => {
  if (message.author !== idOf(login))
    return { status: 403, body: { message: "Missing Permissions", code: 50013 } }
  state.remove(message)
  return { status: 204 }
})

const react = ofMessage(({ reactions }, { params, login }) => {
  const emoji = String(params["emoji"])
  reactions.set(emoji, (reactions.get(emoji) ?? new Set()).add(idOf(login)))
  return { status: 204 }
})

const unreact = ofMessage(({ reactions }, { params, login }) => {
  const users = reactions.get(String(params["emoji"]))
  if (!users?.delete(idOf(login)))
    return { status: 404, body: { message: "Unknown Emoji", code: 10014 } }
  if (users.size === 0) reactions.delete(String(params["emoji"]))
  return { status: 204 }
})

/** Every path begins with the version. */
export const DISCORD_API = "/api/v10"
const CHANNEL = `${DISCORD_API}/channels/:channel`
const MESSAGES = `${CHANNEL}/messages`
const REACTION = `${MESSAGES}/:id/reactions/:emoji/@me`

export const DISCORD_ROUTES: readonly ApiRoute<DiscordState>[] = [
  {
    method: "GET",
    path: `${DISCORD_API}/users/@me`,
    answer: ({ login }) => ({ status: 200, body: userDocument(idOf(login), true) }),
  },
  {
    method: "GET",
    path: CHANNEL,
    answer: inChannel(({ state }, id) => ({
      status: 200,
      body: state.threads.has(id)
        ? threadDocument(state, id)
        : { id, type: ChannelType.GuildText, name: "work", guild_id: GUILD },
    })),
  },
  { method: "GET", path: MESSAGES, answer: list },
  {
    method: "GET",
    path: `${MESSAGES}/:id`,
    answer: ofMessage((one, { state }) => ({ status: 200, body: documentOf(state, one) })),
  },
  { method: "POST", path: MESSAGES, answer: post },
  { method: "DELETE", path: `${MESSAGES}/:id`, answer: removeMessage },
  { method: "POST", path: `${MESSAGES}/:id/threads`, answer: makeThread },
  { method: "PUT", path: REACTION, answer: react },
  { method: "DELETE", path: REACTION, answer: unreact },
]
