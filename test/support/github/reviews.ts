/** Reviews of pull requests, and their comments. */
import { associationOf } from "./issues.ts"
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

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
