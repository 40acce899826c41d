/** Asks GitHub for pull requests: a reply is an answer, or becomes a {@link ForgeError}. */
import { GitHubClient, type GitHubOptions, type GitHubReply } from "../github/client.ts"
import { ForgeError, strangeAnswer } from "./errors.ts"

export type GitHubApiOptions = Omit<GitHubOptions, "keptMax">

type Params = Readonly<Record<string, unknown>>
type Ok = Extract<GitHubReply, { readonly kind: "ok" }>

/** A few for each open pull request. */
const KEPT_MAX = 500
/** 1,000 reviews or checks of one pull request: more than a person reads. */
const PAGES_MAX = 10
const PER_PAGE = 100

export class GitHubApi {
  readonly #client: GitHubClient
  readonly #host: string

  constructor(options: GitHubApiOptions) {
    this.#client = new GitHubClient({ ...options, keptMax: KEPT_MAX })
    this.#host = new URL(options.api).host
  }

  /** @param route as in `GET /repos/{owner}/{repo}`. @throws {ForgeError} */
  async ask(route: string, params: Params): Promise<unknown> {
    return (await this.#send(route, params)).data
  }

  /** All pages of a list. @param listOf the list in a page's answer. @throws {ForgeError} */
  async list(
    route: string,
    params: Params,
    listOf: (data: unknown) => unknown = (data) => data,
  ): Promise<readonly unknown[]> {
    const all: unknown[] = []
    for (let page = 1; page <= PAGES_MAX; page++) {
      const { data, hasNext } = await this.#send(route, { ...params, per_page: PER_PAGE, page })
      const items = listOf(data)
      if (!Array.isArray(items)) throw strangeAnswer()
      all.push(...items)
      if (!hasNext) break
    }
    return all
  }

  async #send(route: string, params: Params): Promise<Ok> {
    const reply = await this.#client.send(route, params)
    if (reply.kind === "ok") return reply
    throw errorOf(this.#host, route, reply)
  }
}

function errorOf(host: string, route: string, reply: Exclude<GitHubReply, Ok>): ForgeError {
  if (reply.kind === "away") return new ForgeError("forge.unavailable", `${host} ${reply.why}`)
  if (reply.kind === "no_login")
    return new ForgeError("forge.refused", `there is no usable login for ${host}`, {
      hints: [
        "`gh auth login` makes one; or set GH_TOKEN, or `repos.<name>.forge.token_variable`, and start the daemon again.",
      ],
    })
  if (reply.kind === "limited") {
    const { untilMs: retryAtMs } = reply
    const message = `${host} allows no more requests until ${new Date(retryAtMs).toISOString()}`
    return new ForgeError("forge.unavailable", message, { retryAtMs })
  }
  const words = reply.words || `status ${reply.status}`
  if (reply.status === 401)
    return new ForgeError("forge.refused", `${host} does not accept the token: ${words}`, {
      hints: ["`gh auth login` makes a new one."],
    })
  return new ForgeError("forge.refused", `${host} refuses \`${route}\`: ${words}`)
}
