/** Comments on issues, and so on pull requests. */
import { associationOf, type CommentState, type IssueState } from "./issues.ts"
import { type Call, NO_CONTENT, NOT_FOUND, type Reply, type Route } from "./route.ts"

function commentDocument(call: Call, { id, author, body, createdAtMs }: CommentState): object {
  return {
    id,
    body,
    user: author === "" ? null : { login: author }, // a user who is deleted
    author_association: associationOf(call, author),
    created_at: new Date(createdAtMs).toISOString(),
  }
}

const issueOf = ({ params, state }: Call) => state.issues.find(params["number"] ?? "")

function findComment({ params, state }: Call): { issue: IssueState; at: number } | undefined {
  for (const issue of state.issues.all) {
    const at = issue.comments.findIndex(({ id }) => id === Number(params["id"]))
    if (at >= 0) return { issue, at }
  }
  return undefined
}

function list(call: Call): Reply {
  const issue = issueOf(call)
  if (!issue) return NOT_FOUND
  return { status: 200, body: issue.comments.map((comment) => commentDocument(call, comment)) }
}

function add(call: Call): Reply {
  const issue = issueOf(call)
  if (!issue) return NOT_FOUND
  const made = call.state.issues.comment(issue, call.login, String(call.body["body"]))
  return { status: 201, body: commentDocument(call, made) }
}

function remove(call: Call): Reply {
  const found = findComment(call)
  if (!found) return NOT_FOUND
  found.issue.comments.splice(found.at, 1)
  return NO_CONTENT
}

export const COMMENT_ROUTES: readonly Route[] = [
  { method: "GET", path: "/repos/:owner/:repo/issues/:number/comments", answer: list },
  { method: "POST", path: "/repos/:owner/:repo/issues/:number/comments", answer: add },
  { method: "DELETE", path: "/repos/:owner/:repo/issues/comments/:id", answer: remove },
]
