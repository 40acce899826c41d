/** A channel of a double of Slack or Discord, and the hands of people there. */
import type { SourceConfig } from "../../src/config/config.ts"
import { chatSource } from "../../src/features/sources/chat/chat-source.ts"
import { Discord } from "../../src/features/sources/chat/discord.ts"
import type { Room } from "../../src/features/sources/chat/room.ts"
import { Slack } from "../../src/features/sources/chat/slack.ts"
import type { Source } from "../../src/features/sources/source.ts"
import type { Failure, Served } from "./api-server.ts"
import { DISCORD_CHANNEL, DISCORD_USERS, type DiscordMessage } from "./discord/channel.ts"
import { DiscordServer } from "./discord-server.ts"
import { SLACK_CHANNEL, type SlackMessage } from "./slack/channel.ts"
import { SlackServer } from "./slack-server.ts"

/** `robot` and `rival` are bots, of which each has a token. */
export type ChatUser = "robot" | "rival" | "alice" | "mallory"

export type Chat = AsyncDisposable & {
  readonly type: "slack" | "discord"
  readonly channel: string
  readonly url: string
  readonly served: Served[]
  onRequest: (request: Served) => void | Promise<void>
  fail(failure: Failure): void
  heal(): void
  idOf(user: ChatUser): string
  /** A person writes into the channel. @returns the id of the message. */
  write(user: ChatUser, text: string): string
  /** A person writes into the thread of a message. */
  reply(message: string, user: ChatUser, text: string): string
  edit(message: string, text: string): void
  remove(message: string): void
  /** The texts of its thread, as the service stores them. */
  said(message: string): string[]
  reactions(message: string): string[]
  /** A person says by a reaction that no fleet must take it. */
  drop(message: string): void
  clearReactions(message: string): void
  room(token?: string, requestMsMax?: number | undefined): Room
}

type Server = SlackServer | DiscordServer

function common(server: Server, create: typeof Slack | typeof Discord, channel: string) {
  server.tokens.set("token-of-rival", "rival")
  return {
    channel,
    url: server.url,
    served: server.served,
    set onRequest(listener: Chat["onRequest"]) {
      server.onRequest = listener
    },
    fail: (failure: Failure) => server.fail(failure),
    heal: () => server.heal(),
    room: (token = "token-of-robot", requestMsMax?: number | undefined) =>
      new create(
        { apiUrl: server.url, channel },
        { token: async () => token, nowMs: server.state.nowMs, requestMsMax },
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const reactionsOf = ({ reactions }: SlackMessage | DiscordMessage) => [...reactions.keys()]

export const startSlack = async (nowMs?: () => number): Promise<Chat> =>
  slackChat(await SlackServer.start(nowMs))

export function slackChat(server: SlackServer): Chat {
  const { state } = server
  return Object.assign(common(server, Slack, SLACK_CHANNEL), {
    type: "slack" as const,
    idOf: (user: ChatUser) => `U${user.toUpperCase()}`,
    write: (user: ChatUser, text: string) => state.write(`U${user.toUpperCase()}`, text).ts,
    reply: (thread: string, user: ChatUser, text: string) =>
      state.write(`U${user.toUpperCase()}`, text, { thread_ts: thread }).ts,
    edit: (message: string, text: string) => void Object.assign(state.find(message)!, { text }),
    remove: (message: string) => state.remove(message),
    said: (message: string) => state.said(message),
    reactions: (message: string) => reactionsOf(state.find(message)!),
    drop: (message: string) =>
      void state.find(message)!.reactions.set("octagonal_sign", new Set(["UALICE"])),
    clearReactions: (message: string) => state.find(message)!.reactions.clear(),
  })
}

export const startDiscord = async (nowMs?: () => number): Promise<Chat> =>
  discordChat(await DiscordServer.start(nowMs))

export function discordChat(server: DiscordServer): Chat {
  const { state } = server
  const find = (message: string) => state.find(DISCORD_CHANNEL, message)!
  const idOf = (user: ChatUser) => DISCORD_USERS[user] ?? ""
  return Object.assign(common(server, Discord, DISCORD_CHANNEL), {
    type: "discord" as const,
    idOf,
    write: (user: ChatUser, text: string) => state.write(idOf(user), text).id,
    reply: (thread: string, user: ChatUser, text: string) => {
      if (!state.threads.has(thread)) state.threads.set(thread, "By a person")
      return state.write(idOf(user), text, { channel: thread }).id
    },
    edit: (message: string, content: string) => void Object.assign(find(message), { content }),
    remove: (message: string) => state.remove(find(message)),
    said: (message: string) => state.said(message),
    reactions: (message: string) => reactionsOf(find(message)),
    drop: (message: string) => void find(message).reactions.set("🛑", new Set([idOf("alice")])),
    clearReactions: (message: string) => find(message).reactions.clear(),
  })
}

type Options = Partial<
  Pick<SourceConfig, "needsMention" | "expiresMs" | "authors" | "readyAgain">
> & {
  readonly token?: string
  readonly requestMsMax?: number | undefined
  readonly nowMs?: () => number
}

const DAY_MS = 86_400_000

/** A source whose tasks are for alice alone, if `options` say nothing else. */
export function sourceOf(chat: Chat, { token, requestMsMax, ...options }: Options = {}): Source {
  const authors = [chat.idOf("alice")]
  const defaults = { authors, readyAgain: true, needsMention: true, expiresMs: DAY_MS }
  return chatSource(chat.room(token, requestMsMax), { nowMs: Date.now, ...defaults, ...options })
}
