/** Second opinions: another agent reads the commits of a task before they land. */
import { sectionOf } from "../../api/documents/feature-parts.ts"
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { followReviews } from "./review-loop.ts"
import { review } from "./review-verb.ts"
import { listAllReviews, listReviews } from "./rows/find.ts"
import type { Review } from "./rows/row.ts"

export const reviews: Feature = {
  name: "reviews",
  uses: ["containment"],
  verbs: { review },
  section: sectionOf(listReviews, listAllReviews, (reviews = [], { reviewOf }) => ({
    reviewOf: reviewOf === null ? null : String(reviewOf),
    reviews: reviews.map(reviewDocument),
  })),
  why: {
    facts: (db, { id, state }, landing) => ({
      landing: landing && {
        isForReviewers: landing.state === "in_review" && state === "merging",
        reviewers: listReviews(db, id).flatMap(({ reviewer: name, byTask, state }) =>
          state === "asked" || state === "reading" ? [{ name, task: byTask }] : [],
        ),
      },
    }),
  },
  create: ({ fleet, onError }) => driving(followReviews(fleet, onError("review"))),
}

function reviewDocument(review: Review): TaskDocument["reviews"][number] {
  const { reviewer, byTask, state, comments } = review
  const commits = review.commits.map(({ name: repo, head, base }) => ({ repo, head, base }))
  return { reviewer, by: byTask === null ? null : String(byTask), state, comments, commits }
}
