/** The routes of the GitHub look-alike: a call, and its answer. */
import type { Issues } from "./issues.ts"
import type { Pulls } from "./pulls.ts"

/** The state of every resource. */
export type GitHubState = {
  nowMs(): number
  /** The logins that may write to the repositories. */
  readonly members: Set<string>
  readonly issues: Issues
  readonly pulls: Pulls
}

export type Call = {
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  /** The user whose token it is. */
  readonly login: string
  readonly state: GitHubState
}

/** A list is cut into pages by the server. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** As in `/repos/:owner/:repo/issues/:number`. */
  readonly path: string
  answer(call: Call): Reply
}

export const NOT_FOUND: Reply = { status: 404, body: { message: "Not Found" } }
export const NO_CONTENT: Reply = { status: 204 }
