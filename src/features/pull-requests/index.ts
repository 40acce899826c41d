/** Lands work by pull requests, with a forge's approvals and checks. */
import { sectionOf } from "../../api/documents/feature-parts.ts"
import type { Feature } from "../../api/feature.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { listAllPullRequests, listPullRequests, type PullRequest } from "./rows.ts"
import { pullText } from "./rules.ts"

export const pullRequests: Feature = {
  name: "pull-requests",
  uses: ["rest", "stacks"],
  section: sectionOf(listPullRequests, listAllPullRequests, (pulls = []) => ({
    pullRequests: pulls.flatMap(pullDocument),
  })),
  why: {
    facts: (db, { id }) => ({
      pulls: listPullRequests(db, id).flatMap(({ url, problem, ...pull }) =>
        url === null ? [] : { url, problem, text: pullText(pull) },
      ),
    }),
  },
}

function pullDocument(pull: PullRequest): TaskDocument["pullRequests"] {
  const { name: repo, number, url, state, review, checks, pushed: head, problem } = pull
  if (number === null || url === null) return [] // not open yet
  return [{ repo, number, url, state, review, checks, head, problem }]
}
