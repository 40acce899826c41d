/**
 * Claims as comments on an issue. Pure.
 *
 * The earliest claim that has not ended holds. A fleet writes its claim, then reads all comments, so of
 * two fleets at least the later one sees both. Any user may write such a comment: a false claim keeps an
 * issue from fleets until a person deletes it, but it cannot give one issue to two. An end counts only
 * from the author of its claim, because every reader sees the nonce.
 */

export type Comment = {
  readonly id: string
  readonly body: string
  readonly author: string
}

const MARK = /\bcoppice:(claim|end) ([0-9a-f-]{8,64})(?![0-9a-f-])/g

/** A tracker stores it as it is, in a comment of HTML or as code. */
export const markOf = (kind: "claim" | "end", nonce: string): string => `coppice:${kind} ${nonce}`

type Held = { readonly nonce: string; readonly author: string }

/** @param comments oldest first. @returns undefined: no claim holds. */
export function holderOf(comments: readonly Comment[]): Held | undefined {
  return listClaims(comments).find(({ hasEnded }) => !hasEnded)
}

/** The comments with this claim. */
export function listOwn(comments: readonly Comment[], nonce: string): readonly Comment[] {
  return comments.filter((comment) =>
    marksOf(comment).some((mark) => mark.kind === "claim" && mark.nonce === nonce),
  )
}

/** Without the claim, which a person has deleted, any end will do. */
export function hasEnded(comments: readonly Comment[], nonce: string): boolean {
  const claim = listClaims(comments).find((one) => one.nonce === nonce)
  const isEnd = (mark: Mark) => mark.kind === "end" && mark.nonce === nonce
  return claim?.hasEnded ?? comments.flatMap(marksOf).some(isEnd)
}

type Mark = Held & { readonly kind: string | undefined }

const marksOf = ({ body, author }: Comment): Mark[] =>
  [...body.matchAll(MARK)].map(([, kind, nonce = ""]) => ({ kind, nonce, author }))

function listClaims(comments: readonly Comment[]): (Held & { readonly hasEnded: boolean })[] {
  const marks = comments.flatMap(marksOf)
  return marks
    .filter(({ kind }) => kind === "claim")
    .map(({ nonce, author }) => {
      const ends = (one: Mark) => one.kind === "end" && one.nonce === nonce && one.author === author
      return { nonce, author, hasEnded: marks.some(ends) }
    })
}
