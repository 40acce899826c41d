/**
 * Claims as comments on an issue. Pure.
 *
 * A claim holds while no other one does. A fleet writes its claim, then reads all comments, so of two
 * fleets at least the later one sees both, in whatever order the tracker puts them. The earlier claim in
 * that order waits until the other one is removed, and gives way if it stays. Any user may write such a comment, or edit an old one: a
 * false claim keeps an issue from fleets until a person deletes it, but it cannot give one issue to two.
 * Every reader sees the nonce. So a claim is ours only under our own name, and an end counts only from the
 * author of its claim.
 */

export type Comment = {
  readonly id: string
  readonly body: string
  readonly author: string
  /** The comment's place among the others, as the tracker counts: a number, or a time. */
  readonly order: number
}

/** A marker is the whole last line, so that a person who quotes a marker writes none. */
const MARKER = /(?:^|\n)(?:<!-- |`)?coppice:(claim|end) ([0-9a-f-]{8,64})(?: -->|`)?$/

/** A tracker stores it as it is, in a comment of HTML or as code. */
export const markerOf = (kind: "claim" | "end" | "note", nonce: string): string =>
  `coppice:${kind} ${nonce}`

/** A claim as its fleet knows it. */
export type Known = {
  readonly nonce: string
  /** Undefined: an earlier process wrote its comment, if there is one. */
  readonly author?: string | undefined
}

/** The comments with claims that have not ended, the earliest first. */
export function listLive(comments: readonly Comment[]): readonly Comment[] {
  return comments.filter((comment) => {
    const { kind, nonce = "" } = markerIn(comment)
    return kind === "claim" && !isEndedBy(comments, { nonce, author: comment.author })
  })
}

/** The comments with this claim. If we do not know its author, a stranger's copy may be among them. */
export function listOwn(comments: readonly Comment[], known: Known): readonly Comment[] {
  return comments.filter((one) => isBy(one, known) && hasMark(one, "claim", known.nonce))
}

/** Whether the claim of this comment is ours: a nonce under the names of two users proves nothing. */
export const isOurs = (comment: Comment, own: readonly Comment[]): boolean =>
  own.includes(comment) && haveOneAuthor(own)

export const haveOneAuthor = (own: readonly Comment[]): boolean =>
  own.every(({ author }) => author === own[0]?.author)

/** If a person deleted the claim and we do not know its author, an end by any author counts. */
export function isClaimOver(comments: readonly Comment[], known: Known): boolean {
  const own = listOwn(comments, known)
  if (own.length === 0) return isEndedBy(comments, known)
  return own.every(({ author }) => isEndedBy(comments, { nonce: known.nonce, author }))
}

const isEndedBy = (comments: readonly Comment[], known: Known): boolean =>
  comments.some((one) => isBy(one, known) && hasMark(one, "end", known.nonce))

const isBy = (comment: Comment, { author }: Known): boolean =>
  author === undefined || comment.author === author

function hasMark(comment: Comment, kind: string, nonce: string): boolean {
  const marker = markerIn(comment)
  return marker.kind === kind && marker.nonce === nonce
}

function markerIn({ body }: Comment): { readonly kind?: string; readonly nonce?: string } {
  const [, kind, nonce] = MARKER.exec(body.trim()) ?? []
  return kind === undefined || nonce === undefined ? {} : { kind, nonce }
}
