/** The routes of the Gitea look-alike: a call, and its answer. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"
import type { Pulls } from "../forge/pulls.ts"
import type { GiteaPulls } from "./pulls.ts"

/** The labels of the repository, which have numbers. A test adds them. */
export class Labels {
  readonly #names: string[] = []

  /** @returns its number. */
  add(name: string): number {
    return this.#names.push(name)
  }

  documents(): readonly { readonly id: number; readonly name: string }[] {
    return this.#names.map((name, at) => ({ id: at + 1, name }))
  }

  nameOf(id: unknown): string | undefined {
    return this.#names[Number(id) - 1]
  }
}

/** The state of every resource. */
export type GiteaState = {
  nowMs(): number
  /** The users that may write to the repository. */
  readonly members: Set<string>
  readonly labels: Labels
  readonly pulls: Pulls
  readonly gitea: GiteaPulls
}

export type GiteaCall = ApiCall<GiteaState>
export type GiteaRoute = ApiRoute<GiteaState>

/** Any owner and name lead to the one repository. */
export const REPO = "/api/v1/repos/:owner/:repo"
export const MISSING: Reply = { status: 404, body: { message: "The target couldn't be found." } }
