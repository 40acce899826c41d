/**
 * A double of GitHub's REST API on loopback, and of the part of GraphQL that `gh` uses: it keeps its
 * state, and failures can be switched on.
 *
 * Each resource has a file in `github/`, with its routes and its state. To add one, write the file,
 * and add its routes to {@link ROUTES} and its state to {@link GitHubState}.
 */
import { ApiServer } from "./api-server.ts"
import { Pulls } from "./forge/pulls.ts"
import { CHECK_ROUTES } from "./github/checks.ts"
import { COMMENT_ROUTES } from "./github/comments.ts"
import { GRAPHQL_ROUTES } from "./github/graphql.ts"
import { ISSUE_ROUTES, Issues } from "./github/issues.ts"
import { PULL_ROUTES } from "./github/pulls.ts"
import { REVIEW_ROUTES } from "./github/reviews.ts"
import type { GitHubState, Route } from "./github/route.ts"

const ROUTES: readonly Route[] = [
  ...ISSUE_ROUTES,
  ...COMMENT_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...CHECK_ROUTES,
  ...GRAPHQL_ROUTES,
]

export class GitHubServer extends ApiServer<GitHubState> {
  static async start(nowMs: () => number = Date.now): Promise<GitHubServer> {
    const members = new Set(["robot"])
    const state = { nowMs, members, issues: new Issues(nowMs), pulls: new Pulls() }
    return await new GitHubServer(state, ROUTES).listen()
  }
}
