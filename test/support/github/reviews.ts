/** Reviews of pull requests, and their comments. */
import { type ReviewState, review } from "../forge/pulls.ts"
import { associationOf } from "./issues.ts"
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

const pullOf = ({ params, state }: Call) => state.pulls.find(params["number"] ?? "")

function reviewDocument(call: Call, { id, author, state, commit, body }: ReviewState) {
  return {
    id,
    state,
    commit_id: commit,
    body,
    user: { login: author },
    author_association: associationOf(call, author),
  }
}

function list(call: Call): Reply {
  const pull = pullOf(call)
  if (!pull) return NOT_FOUND
  return { status: 200, body: pull.reviews.map((one) => reviewDocument(call, one)) }
}

const EVENTS: Readonly<Record<string, ReviewState["state"]>> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
}

function add(call: Call): Reply {
  const pull = pullOf(call)
  const { event, body = "", comments = [] } = call.body
  const state = EVENTS[String(event)]
  if (!pull) return NOT_FOUND
  if (!state) return { status: 422, body: { message: "Unprocessable Entity" } }
  const made = review(call.state, pull, state, {
    author: call.login,
    body: String(body),
    comments: comments as ReviewState["comments"],
  })
  return { status: 200, body: reviewDocument(call, made) }
}

function listComments(call: Call): Reply {
  const found = pullOf(call)?.reviews.find(({ id }) => id === Number(call.params["review"]))
  return found ? { status: 200, body: [...found.comments] } : NOT_FOUND
}

const REVIEWS = "/repos/:owner/:repo/pulls/:number/reviews"

export const REVIEW_ROUTES: readonly Route[] = [
  { method: "GET", path: REVIEWS, answer: list },
  { method: "POST", path: REVIEWS, answer: add },
  { method: "GET", path: `${REVIEWS}/:review/comments`, answer: listComments },
]
