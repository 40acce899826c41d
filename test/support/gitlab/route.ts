/** The routes of the GitLab double: a call, and its answer. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"
import type { Pulls } from "../forge/pulls.ts"
import type { GitLabIssues } from "./issues.ts"
import type { GitLabPulls } from "./pulls.ts"

/** The state of every resource. */
export type GitLabState = {
  nowMs(): number
  /** The users that may write to the project. */
  readonly members: Set<string>
  /** The access level of a member; default: 30, a developer. */
  readonly levels: Map<string, number>
  readonly issues: GitLabIssues
  readonly pulls: Pulls
  readonly merges: GitLabPulls
}

export type GitLabCall = ApiCall<GitLabState>
export type GitLabRoute = ApiRoute<GitLabState>

/** Every path below it names the project by `:project`. */
export const PROJECT = "/api/v4/projects/:project"
export const MISSING: Reply = { status: 404, body: { message: "404 Not found" } }

/** Users have numbers, which are the same in every answer. */
export const userDocument = (username: string) => ({
  id: idOf(username),
  username,
  name: username,
  state: "active",
  avatar_url: "",
  web_url: `https://gitlab.example/${username}`,
})

const users: string[] = []

export function idOf(username: string): number {
  if (!users.includes(username)) users.push(username)
  return users.indexOf(username) + 1
}
