/**
 * A source: a tracker, a chat or a folder whose items become tasks.
 *
 * A source reads and claims items. It knows nothing of tasks, and its text is untrusted. Every call is
 * safe to repeat, because a crash may come between an effect there and its record here. A claim's nonce
 * shows that it is ours.
 */
import type { ItemResult } from "./rules/source-item.ts"

export type Item = {
  /** The item's id in the source, such as `17`. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** The URL of its page, or the path of its file. */
  readonly address: string
  /** Null where a source has no authors. */
  readonly author: string | null
}

export type Listed = {
  /** The ids of the ready items, in the order to take them. */
  readonly ready: readonly string[]
  /** False if there may be more ready items. */
  readonly isWhole: boolean
  /** Items that are not taken, one sentence each. */
  readonly problems: readonly string[]
}

export type Claim = { readonly item: string; readonly nonce: string }

export type Claimed =
  | { readonly kind: "claimed"; readonly item: Item }
  /** Another fleet has it. `isTie`: both claimed at once. We withdrew; the other may have too. */
  | { readonly kind: "taken"; readonly why: string; readonly isTie: boolean }
  /** The item is closed, deleted or no longer ready. */
  | { readonly kind: "gone" }
  /** The source does not let us have it, or its author is not allowed. */
  | { readonly kind: "refused"; readonly why: string }

export type Ended = {
  /** The source still lists it as ready, but it must not be taken again. */
  readonly staysListed: boolean
  /** One sentence about a change that the source refused. */
  readonly problem?: string | undefined
  /** Neither the report nor the claim's removal was accepted. Call `end` again later. */
  readonly mustRepeat?: boolean
}

/** Every method throws a {@link SourceError} if the source as a whole cannot be used now. */
export type Source = {
  list(signal: AbortSignal): Promise<Listed>
  claim(claim: Claim, signal: AbortSignal): Promise<Claimed>
  /** Undefined if it is gone or its author is not allowed. */
  read(item: string, signal: AbortSignal): Promise<Item | undefined>
  /** Reports the result, and gives up the claim. */
  end(claim: Claim, result: ItemResult, signal: AbortSignal): Promise<Ended>
  /**
   * Posts a note on a claimed item, at most once per key. Absent if the source has no comments.
   *
   * @param note.key digits.
   * @returns why it could not be posted, as one sentence.
   */
  note?(
    claim: Claim,
    note: { readonly key: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<string | undefined>
  /** Only for a chat, where each item's thread is a conversation with its task. */
  readonly threads?: Threads
}

export type ThreadReply = {
  /** Ids grow with time. */
  readonly id: string
  /** The user id of an allowed author. */
  readonly author: string
  readonly text: string
  /** The keys of our later notes, which its author had not seen. */
  readonly laterNotes: readonly string[]
}

export type ThreadMessages =
  | {
      readonly kind: "ok"
      /** By allowed authors, oldest first. */
      readonly replies: readonly ThreadReply[]
      /** The keys of our notes, oldest first. */
      readonly notes: readonly string[]
      /** The last message that was read. */
      readonly last: string
    }
  | Unusable

export type Unusable =
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly why: string }

/** Every method throws a {@link SourceError} if the source as a whole cannot be used now. */
export type Threads = {
  /** Whether the last `list` showed a message after `seen`; undefined if it did not say. */
  hasNews(item: string, seen: string): boolean | undefined
  /** Reads the messages after `seen`. */
  read(item: string, seen: string, signal: AbortSignal): Promise<ThreadMessages>
  /** `note.key` identifies the note in later reads: letters, digits and dashes. */
  write(
    item: string,
    note: { readonly key: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<{ readonly kind: "ok" } | Unusable>
}
