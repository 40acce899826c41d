/**
 * A double of the REST API of Gitea and Forgejo on loopback: it keeps its state, and failures can be
 * switched on.
 *
 * Each resource has a file in `gitea/`, with its routes and its state, as in the GitHub one.
 */
import { ApiServer } from "./api-server.ts"
import { Pulls } from "./forge/pulls.ts"
import { GITEA_ISSUE_ROUTES, GiteaIssues } from "./gitea/issues.ts"
import { GITEA_LABEL_ROUTES, Labels } from "./gitea/labels.ts"
import { GITEA_PULL_ROUTES, GiteaPulls } from "./gitea/pulls.ts"
import { GITEA_REVIEW_ROUTES } from "./gitea/reviews.ts"
import type { GiteaRoute, GiteaState } from "./gitea/route.ts"

const ROUTES: readonly GiteaRoute[] = [
  ...GITEA_ISSUE_ROUTES,
  ...GITEA_LABEL_ROUTES,
  ...GITEA_PULL_ROUTES,
  ...GITEA_REVIEW_ROUTES,
]

const UNKNOWN_TOKEN = {
  status: 401,
  body: { message: "invalid username, password or token" },
}

export class GiteaServer extends ApiServer<GiteaState> {
  static async start(nowMs: () => number = Date.now): Promise<GiteaServer> {
    const members = new Set(["robot", "rival"])
    const labels = new Labels()
    const issues = new GiteaIssues(nowMs)
    const gitea = new GiteaPulls()
    const state = { nowMs, members, labels, issues, pulls: new Pulls(), gitea }
    return await new GiteaServer(state, ROUTES, UNKNOWN_TOKEN).listen()
  }

  /** For `api_url`. */
  override get url(): string {
    return `${super.url}/api/v1`
  }
}
