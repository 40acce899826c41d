/** One channel of the Slack look-alike: its state and its routes. */
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
  /** Those of the channel and its threads, in order. */
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

const inChannel = (act: (call: Call) => Reply) => (call: Call) => {
  const channel = call.query.get("channel") ?? call.body["channel"]
  return channel === SLACK_CHANNEL ? act(call) : failed("channel_not_found")
}

function paged({ query, state }: Call, all: readonly SlackMessage[]): Reply {
  const start = Number(query.get("cursor") ?? 0)
  const end = start + Number(query.get("limit") ?? 100)
  const messages = all.slice(start, end).map((one) => documentOf(state, one))
  const next = end < all.length ? String(end) : ""
  return ok({ messages, has_more: next !== "", response_metadata: { next_cursor: next } })
}

const history = inChannel((call) => {
  const oldest = call.query.get("oldest") ?? "0"
  const all = call.state.messages
    .filter(({ thread_ts: first, subtype }) => !first || subtype === "thread_broadcast")
    .filter(({ ts }) => Number(ts) > Number(oldest))
  return paged(call, all.toReversed())
})

const replies = inChannel((call) => {
  const { query, state } = call
  const first = state.find(query.get("ts"))
  if (!first) return failed("thread_not_found")
  const oldest = Number(query.get("oldest") ?? 0)
  const after = state.threadOf(first.ts).filter(({ ts }) => Number(ts) > oldest)
  return paged(call, [first, ...after])
})

const userOf = (login: string) => `U${login.toUpperCase()}`

const post = inChannel(({ body, state, login }) => {
  const { thread_ts: thread, text } = body
  if (typeof text !== "string" || text === "") return failed("no_text")
  const made = state.write(userOf(login), text, {
    thread_ts: String(thread),
    bot_id: `B${login.toUpperCase()}`,
  })
  return ok({ ts: made.ts, channel: SLACK_CHANNEL, message: documentOf(state, made) })
})

const remove = inChannel(({ body, state, login }) => {
  const found = state.find(body["ts"])
  if (!found) return failed("message_not_found")
  if (found.user !== userOf(login)) return failed("cant_delete_message")
  state.remove(found.ts)
  return ok({})
})

const react = inChannel(({ body, state, login }) => {
  const found = state.find(body["timestamp"])
  if (!found) return failed("message_not_found")
  const users = found.reactions.get(String(body["name"])) ?? new Set()
  if (users.has(userOf(login))) return failed("already_reacted")
  found.reactions.set(String(body["name"]), users.add(userOf(login)))
  return ok({})
})

const unreact = inChannel(({ body, state, login }) => {
  const found = state.find(body["timestamp"])
  if (!found) return failed("message_not_found")
  const users = found.reactions.get(String(body["name"]))
  if (!users?.delete(userOf(login))) return failed("no_reaction")
  if (users.size === 0) found.reactions.delete(String(body["name"]))
  return ok({})
})

export const SLACK_ROUTES: readonly ApiRoute<SlackState>[] = [
  {
    method: "GET",
    path: "/auth.test",
    answer: ({ login }) => ok({ user_id: userOf(login), url: "https://acme.slack.example/" }),
  },
  { method: "GET", path: "/conversations.history", answer: history },
  { method: "GET", path: "/conversations.replies", answer: replies },
  { method: "POST", path: "/chat.postMessage", answer: post },
  { method: "POST", path: "/chat.delete", answer: remove },
  { method: "POST", path: "/reactions.add", answer: react },
  { method: "POST", path: "/reactions.remove", answer: unreact },
]
