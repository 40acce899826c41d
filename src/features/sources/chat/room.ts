/**
 * A room: one channel of a chat service, whose messages have threads.
 *
 * A room only translates; chat-source.ts makes a source of any room. Every method throws a
 * {@link SourceError} if the service as a whole cannot be used now.
 */
import type { Answer } from "../trackers/answer.ts"

/** The reactions that show people the state of a message. */
export type Reaction = "working" | "done" | "dropped"
/** Which of our own to add, and which to remove. */
export type ReactionChange = { readonly [key in Reaction]?: boolean }

/** @param names of the reactions to a message. */
export const reactionsIn = (
  emoji: Readonly<Record<Reaction, string>>,
  names: readonly (string | null | undefined)[],
): Reaction[] => (Object.keys(emoji) as Reaction[]).filter((one) => names.includes(emoji[one]))

export type Reply = {
  /** Ids grow with time. */
  readonly id: string
  /** The id of its user. */
  readonly author: string
  /** As people see it in the service. */
  readonly text: string
  /** False for bots, and for notices of the service. */
  readonly isPerson: boolean
}

export type Message = Reply & {
  readonly mentionsUs: boolean
  readonly reactions: readonly Reaction[]
  /** The last message of its thread; undefined: the service does not say. */
  readonly lastReply: string | undefined
  /** The address of the message's page. */
  readonly address: string
}

export type Room = {
  /** For people, such as `the channel C1 on Slack`. */
  readonly name: string
  /** The id of our own user. */
  readSelf(signal: AbortSignal): Promise<string>
  /** Whether a text can be the id of a message. */
  isId(text: string): boolean
  /** Pages of its messages since a time, the newest first. */
  messages(sinceMs: number, signal: AbortSignal): AsyncIterable<Answer<readonly Message[]>>
  find(id: string, signal: AbortSignal): Promise<Answer<Message>>
  /** Pages of the thread of a message. @param after a message of it; undefined: from its start. */
  replies(
    id: string,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Answer<readonly Reply[]>>
  /** Writes into the thread of a message. Nothing in the text is a mention. */
  post(id: string, text: string, signal: AbortSignal): Promise<Answer<Reply>>
  removeReply(id: string, reply: string, signal: AbortSignal): Promise<Answer>
  /** Adds or removes our own reactions. A reaction that is already so is not an error. */
  react(id: string, change: ReactionChange, signal: AbortSignal): Promise<Answer>
}
