/**
 * A room of a chat as a source: a message becomes a task, and its thread a conversation with it.
 *
 * A claim is a reply in the thread, by the rules of all trackers (tracker-source.ts). Reactions show the
 * state of a message. Anyone can add a reaction, which hides the message from all fleets.
 */

import { clean } from "../../../base/text/shown.ts"
import type { SourceConfig } from "../../../config/config.ts"
import { isItemId } from "../rules/source-item.ts"
import type { Item, Source, ThreadMessages, Threads } from "../source.ts"
import { type Answer, GONE, mapped } from "../trackers/answer.ts"
import type { Comment } from "../trackers/claims.ts"
import type { Issue, Shown, Tracker } from "../trackers/tracker.ts"
import { trackerSource } from "../trackers/tracker-source.ts"
import type { Message, Reply, Room } from "./room.ts"

type Settings = Pick<SourceConfig, "authors" | "readyAgain" | "needsMention" | "expiresMs"> & {
  nowMs(): number
}

export function chatSource(room: Room, settings: Settings): Source {
  const chat = new Chat(room, settings)
  return { ...trackerSource(chat, settings), threads: chat }
}

/** The last line of a note. Only our own messages count: anyone in the room can copy one. */
const NOTE = /(?:^|\n)`coppice:note ([\w-]+)`$/
/**
 * The reactions for each state. We add the new one before we remove the old one, so the message never
 * looks ready in between.
 */
const REACTIONS_OF = {
  ready: { working: false, done: false, dropped: false },
  working: { working: true },
  done: { done: true, working: false },
  dropped: { dropped: true, working: false },
} as const satisfies Record<Shown, unknown>

class Chat implements Tracker, Threads {
  readonly name: string
  readonly #room: Room
  readonly #settings: Settings
  /** The last reply of each message in the last list, undefined if the service does not tell. */
  #lastReplies: ReadonlyMap<string, string | undefined> = new Map()

  constructor(room: Room, settings: Settings) {
    this.name = room.name
    this.#room = room
    this.#settings = settings
  }

  nameOf(id: string): string {
    return `the message ${id}`
  }

  /** Yields all pages as one, and keeps which threads have news. Messages older than `expiresMs` are not read. */
  async *list(signal: AbortSignal): AsyncGenerator<Answer<readonly Issue[]>> {
    const { nowMs, expiresMs } = this.#settings
    const found: Message[] = []
    let hasNext = false
    for await (const page of this.#room.messages(nowMs() - expiresMs, signal)) {
      if (page.kind !== "ok") return yield page
      found.push(...page.data)
      hasNext = page.hasNext
    }
    this.#lastReplies = new Map(found.map(({ id, lastReply }) => [id, lastReply]))
    const data = found.filter(this.#isForUs).map(this.#issueOf)
    yield { kind: "ok", data, hasNext }
  }

  async find(id: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!this.#room.isId(id)) return GONE
    return mapped(await this.#room.find(id, signal), this.#issueOf)
  }

  async *comments(id: string, signal: AbortSignal): AsyncGenerator<Answer<readonly Comment[]>> {
    for await (const page of this.#room.replies(id, undefined, signal))
      yield mapped(page, (all) => all.map(commentOf))
  }

  async comment(id: string, text: string, marker: string, signal: AbortSignal) {
    return mapped(await this.#room.post(id, `${text}\n\`${marker}\``, signal), commentOf)
  }

  async removeComment(id: string, reply: string, signal: AbortSignal): Promise<Answer> {
    return await this.#room.removeReply(id, reply, signal)
  }

  async show(id: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    return await this.#room.react(id, REACTIONS_OF[shown], signal)
  }

  /** coppice.yml names the people of a chat one by one. */
  async isMember(): Promise<boolean> {
    return false
  }

  hasNews(item: string, seen: string): boolean | undefined {
    const last = this.#lastReplies.get(item)
    return last === undefined ? undefined : inOrder.compare(last, seen) > 0
  }

  async read(item: string, seen: string, signal: AbortSignal): Promise<ThreadMessages> {
    const found: Reply[] = []
    const after = seen === item ? undefined : seen
    for await (const page of this.#room.replies(item, after, signal)) {
      if (page.kind === "forbidden") return { kind: "refused", why: page.why }
      if (page.kind === "gone") return page
      found.push(...page.data)
    }
    const self = found.length > 0 ? await this.#room.readSelf(signal) : undefined
    const notesIn = (all: readonly Reply[]) =>
      all.flatMap((one) => (one.isPerson || one.author !== self ? [] : noteIn(one)))
    const last = found.at(-1)?.id ?? seen
    // A picture alone has no text.
    const isReply = ({ isPerson, author, text }: Reply) =>
      isPerson && this.#isAllowed(author) && clean(text).trim() !== ""
    const replies = found.flatMap((one, at) => {
      const { id, author, text } = one
      return isReply(one) ? [{ id, author, text, laterNotes: notesIn(found.slice(at)) }] : []
    })
    return { kind: "ok", replies, notes: notesIn(found), last }
  }

  async write(
    item: string,
    { key, text }: { readonly key: string; readonly text: string },
    signal: AbortSignal,
  ) {
    const posted = await this.#room.post(item, `${text}\n\`coppice:note ${key}\``, signal)
    return posted.kind === "forbidden" ? ({ kind: "refused", why: posted.why } as const) : posted
  }

  #isAllowed(author: string): boolean {
    const { authors } = this.#settings
    return Array.isArray(authors) && authors.includes(author)
  }

  /** Without `needsMention`, messages of unlisted authors are passed over, without a notice. */
  readonly #isForUs = (message: Message): boolean =>
    message.isPerson &&
    message.text !== "" &&
    (this.#settings.needsMention ? message.mentionsUs : this.#isAllowed(message.author))

  readonly #issueOf = (message: Message): Issue => {
    const { id, author, reactions } = message
    const isOver = reactions.includes("done") || reactions.includes("dropped")
    const standing = reactions.includes("working") ? "working" : "ready"
    return {
      ...itemOf(message),
      authorIds: [author],
      relation: "",
      standing: isOver || !this.#isForUs(message) || !isItemId(id) ? "other" : standing,
    }
  }
}

/** The first line of a message is its title. */
function itemOf({ id, text, address, author }: Message): Item {
  const [title = "", ...rest] = text.split("\n")
  return { id, title, text: rest.join("\n").trim(), address, author }
}

const noteIn = ({ text }: Reply): string | [] => NOTE.exec(text)?.[1] ?? []

const commentOf = ({ id, author, text }: Reply): Comment => {
  return { id, author, body: text, order: Number(id) }
}

/** Ids grow with time, as numbers. */
const inOrder = new Intl.Collator("en", { numeric: true })
