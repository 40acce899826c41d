/** Reviews of Gitea's pull requests. */
import type { PullReview, PullReviewComment } from "gitea-js"
import type { Reply } from "../api-server.ts"
import type { PullState } from "../forge/pulls.ts"
import { about, type GiteaComment, type GiteaReview } from "./pulls.ts"
import {
  type GiteaCall,
  type GiteaRoute,
  type GiteaState,
  MISSING,
  REPO,
  userDocument,
} from "./route.ts"

type Given = Partial<Pick<GiteaReview, "author" | "body" | "comments">>

const VERDICTS = ["APPROVED", "REQUEST_CHANGES"]

/**
 * A person reviews the pull request as it is now; default: a member. A verdict takes `official` from the
 * earlier ones of its author.
 */
export function reviewPull(
  state: GiteaState,
  pull: PullState,
  verdict: GiteaReview["state"],
  { author = "ada", body = "", comments = [] }: Given = {},
): GiteaReview {
  const { gitea, members, pulls } = state
  const all = gitea.reviewsOf(pull)
  const isVerdict = VERDICTS.includes(verdict)
  for (const one of all) if (isVerdict && one.author === author) one.official = false
  const made = {
    id: ++gitea.lastReview,
    author,
    state: verdict,
    commit: pulls.headOf(pull),
    body,
    official: isVerdict && members.has(author),
    dismissed: false,
    comments,
  }
  all.push(made)
  return made
}

function reviewDocument(review: GiteaReview): PullReview {
  const { author, commit, comments, ...facts } = review
  return {
    ...facts,
    user: userDocument(author),
    commit_id: commit,
    comments_count: comments.length,
  }
}

/** Gitea counts what others have not sent yet, shows it to its author alone, and sends no links. */
const listReviews = about(({ login, state }, pull) => {
  const all = state.gitea.reviewsOf(pull)
  const shown = all.filter((one) => one.state !== "PENDING" || one.author === login)
  const headers = { "x-total-count": String(all.length) }
  return { status: 200, headers, body: shown.map(reviewDocument) }
})

function commentDocument({ author, path, line, body, isResolved = false }: GiteaComment) {
  const document: PullReviewComment = {
    body,
    user: userDocument(author),
    path,
    position: Math.max(line, 0),
    original_position: Math.max(-line, 0),
  }
  // Gitea's types do not say so, but it sends null for an open one.
  return Object.assign(document, { resolver: isResolved ? userDocument("ada") : null })
}

type NewComment = {
  readonly body?: string
  readonly path?: string
  readonly new_position?: number
  readonly old_position?: number
}

const addReview = about(({ body, login, state }, pull) => {
  const { event = "PENDING", body: text = "", comments = [] } = body
  const made = reviewPull(state, pull, event as GiteaReview["state"], {
    author: login,
    body: String(text),
    comments: (comments as readonly NewComment[]).map((one) => ({
      author: login,
      path: one.path ?? "",
      line: one.new_position || -(one.old_position ?? 0),
      body: one.body ?? "",
    })),
  })
  return { status: 200, body: reviewDocument(made) }
})

const ofReview = (answer: (review: GiteaReview) => Reply) =>
  about(({ params, state }: GiteaCall, pull) => {
    const found = state.gitea.reviewsOf(pull).find(({ id }) => id === Number(params["id"]))
    return found ? answer(found) : MISSING
  })

const REVIEWS = `${REPO}/pulls/:index/reviews`

export const GITEA_REVIEW_ROUTES: readonly GiteaRoute[] = [
  { method: "GET", path: REVIEWS, answer: listReviews },
  { method: "POST", path: REVIEWS, answer: addReview },
  {
    method: "GET",
    path: `${REVIEWS}/:id`,
    answer: ofReview((review) => ({ status: 200, body: reviewDocument(review) })),
  },
  {
    method: "GET",
    path: `${REVIEWS}/:id/comments`,
    answer: ofReview(({ comments }) => ({
      status: 200,
      isWhole: true,
      body: comments.map(commentDocument),
    })),
  },
]
