/** Reviews of pull requests, and their comments. */
import { associationOf } from "./issues.ts"
import type { PullState } from "./pulls.ts"
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

export type ReviewState = {
  readonly id: number
  readonly author: string
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED"
  readonly commit: string
  readonly body: string
  readonly comments: readonly {
    readonly path: string
    readonly line: number
    readonly body: string
  }[]
}

type Given = Partial<Pick<ReviewState, "author" | "body" | "comments" | "commit">>

/** A person reviews the pull request as it is now; default: a member. */
export function review(
  { pulls }: Call["state"],
  pull: PullState,
  state: ReviewState["state"],
  given: Given = {},
): ReviewState {
  const facts = { author: "ada", body: "", comments: [], commit: pulls.headOf(pull) }
  const made = { id: ++pulls.lastReview, state, ...facts, ...given }
  pull.reviews.push(made)
  return made
}

const pullOf = ({ params, state }: Call) => state.pulls.find(params["number"] ?? "")

function list(call: Call): Reply {
  const pull = pullOf(call)
  if (!pull) return NOT_FOUND
  const body = pull.reviews.map(({ id, author, state, commit, body }) => ({
    id,
    state,
    commit_id: commit,
    body,
    user: { login: author },
    author_association: associationOf(call, author),
  }))
  return { status: 200, body }
}

function listComments(call: Call): Reply {
  const found = pullOf(call)?.reviews.find(({ id }) => id === Number(call.params["review"]))
  return found ? { status: 200, body: [...found.comments] } : NOT_FOUND
}

const REVIEWS = "/repos/:owner/:repo/pulls/:number/reviews"

export const REVIEW_ROUTES: readonly Route[] = [
  { method: "GET", path: REVIEWS, answer: list },
  { method: "GET", path: `${REVIEWS}/:review/comments`, answer: listComments },
]
