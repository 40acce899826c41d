/** The routes of the Gitea double: a call, and its answer. */
import type { User } from "gitea-js"
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"
import type { Pulls } from "../forge/pulls.ts"
import type { GiteaIssues } from "./issues.ts"
import type { Labels } from "./labels.ts"
import type { GiteaPulls } from "./pulls.ts"

/** The state of every resource. */
export type GiteaState = {
  nowMs(): number
  /** The users that may write to the repository. */
  readonly members: Set<string>
  readonly labels: Labels
  readonly issues: GiteaIssues
  readonly pulls: Pulls
  readonly gitea: GiteaPulls
}

export type GiteaCall = ApiCall<GiteaState>
export type GiteaRoute = ApiRoute<GiteaState>

/** Any owner and name lead to the one repository. */
export const REPO = "/api/v1/repos/:owner/:repo"
export const MISSING: Reply = { status: 404, body: { message: "The target couldn't be found." } }

/** The client's types say what Gitea sends, here and in every other document. */
export const userDocument = (login: string): User => ({
  login,
  full_name: "",
  email: `${login}@noreply.gitea.example`,
  html_url: `https://gitea.example/${login}`,
})
