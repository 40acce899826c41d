/** One channel of the Slack double: its state and its routes. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"

export type SlackMessage = {
  readonly ts: string
  text: string
  readonly user: string
  readonly bot_id?: string
  subtype?: string
  readonly thread_ts?: string
  /** The users of each reaction. */
  readonly reactions: Map<string, Set<string>>
}

type Call = ApiCall<SlackState>

export const SLACK_CHANNEL = "C0123ABCD"

export class SlackState {
  /** The messages of the channel and its threads, in order. */
  readonly messages: SlackMessage[] = []
  readonly nowMs: () => number
  #last = 0

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  /** A person writes, into the channel or a thread. */
  write(user: string, text: string, more: Partial<SlackMessage> = {}): SlackMessage {
    this.#last = Math.max(this.#last + 1, this.nowMs() * 1000)
    const digits = String(this.#last)
    const ts = `${digits.slice(0, -6)}.${digits.slice(-6)}`
    const made = { ts, text, user, reactions: new Map(), ...more }
    this.messages.push(made)
    return made
  }

  find(ts: unknown): SlackMessage | undefined {
    return this.messages.find((one) => one.ts === ts)
  }

  threadOf(ts: string): SlackMessage[] {
    return this.messages.filter((one) => one.thread_ts === ts)
  }

  remove(ts: unknown): void {
    this.messages.splice(this.messages.indexOf(this.find(ts)!), 1)
  }

  /** The texts of a thread, as Slack stores them. */
  said(ts: string): string[] {
    return this.threadOf(ts).map(({ text }) => text)
  }
}

const ok = (body: object): Reply => ({ status: 200, body: { ok: true, ...body } })
const failed = (error: string): Reply => ({ status: 200, body: { ok: false, error } })

function documentOf(state: SlackState, message: SlackMessage) {
  const thread = state.threadOf(message.ts)
  const latest = thread.at(-1)?.ts
  return {
    type: "message",
    ...message,
    ...(latest !== undefined && {
      thread_ts: message.ts,
      latest_reply: latest,
      reply_count: thread.length,
    }),
    reactions: [...message.reactions].map(([name, users]) => {
      return { name, users: [...users], count: users.size }
    }),
  }
}

/** Slack takes the arguments of a method in the address, as a form, or as JSON. */
type Given = Readonly<Record<string, unknown>>
type Act = (given: Given, call: Call) => Reply

const inChannel =
  (act: Act): Act =>
  (given, call) =>
    given["channel"] === SLACK_CHANNEL ? act(given, call) : failed("channel_not_found")

function paged(given: Given, { state }: Call, all: readonly SlackMessage[]): Reply {
  const start = Number(given["cursor"] ?? 0)
  const end = start + Number(given["limit"] ?? 100)
  const messages = all.slice(start, end).map((one) => documentOf(state, one))
  const next = end < all.length ? String(end) : ""
  return ok({ messages, has_more: next !== "", response_metadata: { next_cursor: next } })
}

const history = inChannel((given, call) => {
  const oldest = given["oldest"] ?? "0"
  const all = call.state.messages
    .filter(({ thread_ts: first, subtype }) => !first || subtype === "thread_broadcast")
    .filter(({ ts }) => Number(ts) > Number(oldest))
  return paged(given, call, all.toReversed())
})

const replies = inChannel((given, call) => {
  const { state } = call
  const first = state.find(given["ts"])
  if (!first) return failed("thread_not_found")
  const oldest = Number(given["oldest"] ?? 0)
  const after = state.threadOf(first.ts).filter(({ ts }) => Number(ts) > oldest)
  return paged(given, call, [first, ...after])
})

const userOf = (login: string) => `U${login.toUpperCase()}`
const botOf = (login: string) => `B${login.toUpperCase()}`

const post = inChannel(({ thread_ts: thread, text }, { state, login }) => {
  if (typeof text !== "string" || text === "") return failed("no_text")
  const made = state.write(userOf(login), text, {
    ...(thread !== undefined && { thread_ts: String(thread) }),
    bot_id: botOf(login),
  })
  return ok({ ts: made.ts, channel: SLACK_CHANNEL, message: documentOf(state, made) })
})

const remove = inChannel(({ ts }, { state, login }) => {
  const found = state.find(ts)
  if (!found) return failed("message_not_found")
  if (found.user !== userOf(login)) return failed("cant_delete_message")
  state.remove(found.ts)
  return ok({ channel: SLACK_CHANNEL, ts: found.ts })
})

const react = inChannel(({ timestamp, name }, { state, login }) => {
  const found = state.find(timestamp)
  if (!found) return failed("message_not_found")
  const users = found.reactions.get(String(name)) ?? new Set()
  if (users.has(userOf(login))) return failed("already_reacted")
  found.reactions.set(String(name), users.add(userOf(login)))
  return ok({})
})

const unreact = inChannel(({ timestamp, name }, { state, login }) => {
  const found = state.find(timestamp)
  if (!found) return failed("message_not_found")
  const users = found.reactions.get(String(name))
  if (!users?.delete(userOf(login))) return failed("no_reaction")
  if (users.size === 0) found.reactions.delete(String(name))
  return ok({})
})

const who: Act = (_, { login }) =>
  ok({
    url: "https://acme.slack.example/",
    team: "Acme",
    team_id: "T0123ABCD",
    user: login,
    user_id: userOf(login),
    bot_id: botOf(login),
  })

const METHODS: Readonly<Record<string, Act>> = {
  "auth.test": who,
  "conversations.history": history,
  "conversations.replies": replies,
  "chat.postMessage": post,
  "chat.delete": remove,
  "reactions.add": react,
  "reactions.remove": unreact,
}

export const SLACK_ROUTES: readonly ApiRoute<SlackState>[] = Object.entries(METHODS).flatMap(
  ([name, act]) => {
    const answer = (call: Call) => act({ ...Object.fromEntries(call.query), ...call.body }, call)
    return (["GET", "POST"] as const).map((method) => ({ method, path: `/${name}`, answer }))
  },
)
