/**
 * A source: a tracker, a chat or a folder whose items become tasks.
 *
 * A source reads and claims items. It knows no task, and its text is data from strangers. Every call is
 * safe to repeat, because a crash may come between an effect there and its record here. The nonce of a
 * claim tells ours from every other.
 */
import type { ItemResult } from "../core/source-item.ts"

export type Item = {
  /** Its id in the source, such as `17`. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** Its page, or its file. */
  readonly address: string
  /** Null where a source has no authors. */
  readonly author: string | null
}

export type Listed = {
  /** The ids of all ready items, in the order in which to take them. */
  readonly ready: readonly string[]
  /** False: there are more. */
  readonly isWhole: boolean
  /** Items that are not taken, one sentence each. */
  readonly problems: readonly string[]
}

export type Claim = { readonly item: string; readonly nonce: string }

export type Claimed =
  | { readonly kind: "claimed"; readonly item: Item }
  /** Another fleet has it. `isTie`: it wrote its claim when we did, and may have given way too. */
  | { readonly kind: "taken"; readonly why: string; readonly isTie: boolean }
  /** It is closed, deleted or not ready any more. */
  | { readonly kind: "gone" }
  /** The source does not let us have it, or its author is not allowed. */
  | { readonly kind: "refused"; readonly why: string }

export type Ended = {
  /** It stays in the list of ready items, and yet must not be taken again. */
  readonly staysListed: boolean
  /** One sentence about a change that the source refused. */
  readonly problem?: string | undefined
  /** The source refused all: the claim stays, and the result is reported again later. */
  readonly isHeld?: boolean
}

/** Every method throws a {@link SourceError} if the source as a whole cannot be used now. */
export type Source = {
  list(signal: AbortSignal): Promise<Listed>
  claim(claim: Claim, signal: AbortSignal): Promise<Claimed>
  /** Undefined: it is gone, or its author is not allowed. */
  read(item: string, signal: AbortSignal): Promise<Item | undefined>
  /** Reports the result, and gives up the claim. */
  end(claim: Claim, result: ItemResult, signal: AbortSignal): Promise<Ended>
  /** For a chat: the threads of its items, which are conversations with their tasks. */
  readonly threads?: Threads
}

export type ThreadReply = {
  /** Ids grow with time. */
  readonly id: string
  /** The id of its user, who is allowed. */
  readonly author: string
  readonly text: string
  /** The keys of our notes that came after it, so that its author had not read them. */
  readonly laterNotes: readonly string[]
}

export type Heard =
  | {
      readonly kind: "ok"
      /** By people whose words count, the oldest first. */
      readonly replies: readonly ThreadReply[]
      /** The keys of our notes, the oldest first. */
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
  /** Whether there is a message after `seen`, by the last list. Undefined: the list does not say. */
  hasNews(item: string, seen: string): boolean | undefined
  /** Reads the messages after `seen`. */
  read(item: string, seen: string, signal: AbortSignal): Promise<Heard>
  /** @param key of the note, by which a later read knows it: letters, digits and dashes. */
  write(
    item: string,
    note: { readonly key: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<{ readonly kind: "ok" } | Unusable>
}
