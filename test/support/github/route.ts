/** The routes of the GitHub double: a call, and its answer. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"
import type { Pulls } from "../forge/pulls.ts"
import type { Issues } from "./issues.ts"

/** The state of every resource. */
export type GitHubState = {
  nowMs(): number
  /** The logins that may write to the repositories. */
  readonly members: Set<string>
  readonly issues: Issues
  readonly pulls: Pulls
}

export type Call = ApiCall<GitHubState>
export type Route = ApiRoute<GitHubState>
export type { Reply }

export const NOT_FOUND: Reply = { status: 404, body: { message: "Not Found" } }
export const NO_CONTENT: Reply = { status: 204 }
