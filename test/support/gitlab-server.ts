/**
 * A double of GitLab's REST API on loopback: it keeps its state, and failures can be switched on.
 *
 * Each resource has a file in `gitlab/`, with its routes and its state, as in the GitHub one.
 */
import { ApiServer } from "./api-server.ts"
import { Pulls } from "./forge/pulls.ts"
import { GITLAB_ISSUE_ROUTES, GitLabIssues } from "./gitlab/issues.ts"
import { GITLAB_PULL_ROUTES, GitLabPulls } from "./gitlab/pulls.ts"
import { GITLAB_REVIEW_ROUTES } from "./gitlab/reviews.ts"
import type { GitLabRoute, GitLabState } from "./gitlab/route.ts"

const ROUTES: readonly GitLabRoute[] = [
  ...GITLAB_ISSUE_ROUTES,
  ...GITLAB_PULL_ROUTES,
  ...GITLAB_REVIEW_ROUTES,
]
const UNKNOWN_TOKEN = { status: 401, body: { message: "401 Unauthorized" } }

export class GitLabServer extends ApiServer<GitLabState> {
  static async start(nowMs: () => number = Date.now): Promise<GitLabServer> {
    const members = new Set(["robot", "rival"])
    const issues = new GitLabIssues(nowMs)
    const merges = new GitLabPulls(nowMs)
    const levels = new Map<string, number>()
    const state = { nowMs, members, levels, issues, pulls: new Pulls(), merges }
    return await new GitLabServer(state, ROUTES, UNKNOWN_TOKEN).listen()
  }

  /** For `api_url`. */
  override get url(): string {
    return `${super.url}/api/v4`
  }
}
