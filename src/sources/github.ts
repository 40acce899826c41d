/** The issues of a GitHub repository as a source: a label says that an issue is ready. */
import { z } from "zod"
import type { SourceConfig } from "../core/config.ts"
import type { ApiOptions, RestClient } from "../rest/client.ts"
import { gitHubClient } from "../rest/github.ts"
import type { Source } from "./source.ts"
import { type Answer, answerOf, checked, GONE, mapped, OK } from "./trackers/answer.ts"
import type { Comment } from "./trackers/claims.ts"
import { numbered } from "./trackers/pages.ts"
import type { Issue, Shown, Tracker } from "./trackers/tracker.ts"
import { trackerSource } from "./trackers/tracker-source.ts"

const PAGE_SIZE = 100
/** Pages of one list, and a few more. */
const KEPT_MAX = 32
/** The relations of an author to the repository that let them write to it. */
const MEMBERS: readonly string[] = ["OWNER", "MEMBER", "COLLABORATOR"]

type Settings = Pick<SourceConfig, "labels" | "authors" | "readyAgain"> & {
  /** URL of the API. */
  readonly apiUrl: string
  readonly repo: string
}
type Parts = Omit<ApiOptions, "api" | "keptMax">
type Params = Readonly<Record<string, unknown>>

const User = z.object({ login: z.string() }).nullish()

const IssueAnswer = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  html_url: z.string().optional(),
  user: User,
  author_association: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  pull_request: z.unknown().optional(),
})

const CommentAnswer = z.object({ id: z.int(), body: z.string().nullish(), user: User })

const ISSUES = "/repos/{owner}/{repo}/issues"

export const githubSource = (settings: Settings, parts: Parts): Source =>
  trackerSource(new GitHub(settings, parts), { ...settings, nowMs: parts.nowMs })

class GitHub implements Tracker {
  readonly name: string
  readonly #settings: Settings
  readonly #api: string
  readonly #client: RestClient
  /** The names of the repository, for routes. */
  readonly #repo: { readonly owner: string; readonly repo: string }

  constructor(settings: Settings, parts: Parts) {
    const { apiUrl, repo } = settings
    const [owner = "", name = ""] = repo.split("/")
    this.name = `${repo} on GitHub`
    this.#settings = settings
    this.#repo = { owner, repo: name }
    this.#api = apiUrl.replace(/\/+$/, "")
    this.#client = gitHubClient({ ...parts, api: this.#api, keptMax: KEPT_MAX })
  }

  nameOf(id: string): string {
    return `#${id}`
  }

  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>> {
    const { ready } = this.#settings.labels
    const query = { labels: ready, state: "open", sort: "updated", direction: "desc" }
    return numbered(async (page) => {
      const answer = await this.#page(`GET ${ISSUES}`, { ...query, page }, signal)
      return mapped(checked(z.array(IssueAnswer), answer), (all) => all.map(this.#issueOf))
    })
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!/^[1-9]\d{0,9}$/.test(item)) return GONE
    const answer = await this.#ask(`GET ${ISSUES}/{item}`, { item }, signal)
    return mapped(checked(IssueAnswer, answer), this.#issueOf)
  }

  comments(item: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>> {
    return numbered(async (page) => {
      const answer = await this.#page(`GET ${ISSUES}/{item}/comments`, { item, page }, signal)
      return mapped(checked(z.array(CommentAnswer), answer), (all) => all.map(commentOf))
    })
  }

  /** GitHub's page hides the mark, and shows the words before it. */
  async comment(item: string, words: string, mark: string, signal: AbortSignal) {
    const body = `${words}\n\n<!-- ${mark} -->`
    const answer = await this.#ask(`POST ${ISSUES}/{item}/comments`, { item, body }, signal)
    return mapped(checked(CommentAnswer, answer), commentOf)
  }

  async removeComment(_: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.#ask(`DELETE ${ISSUES}/comments/{id}`, { id }, signal)
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const { ready, inProgress } = this.#settings.labels
    const wanted = { working: inProgress, ready, done: undefined, dropped: undefined }[shown]
    const labels = wanted === undefined ? [] : [wanted]
    if (labels.length > 0) {
      const added = await this.#ask(`POST ${ISSUES}/{item}/labels`, { item, labels }, signal)
      if (added.kind !== "ok") return added
    }
    const name = shown === "working" ? ready : inProgress
    const removed = await this.#ask(`DELETE ${ISSUES}/{item}/labels/{name}`, { item, name }, signal)
    return removed.kind === "gone" ? OK : removed
  }

  async isMember({ relation }: Issue): Promise<boolean> {
    return MEMBERS.includes(relation)
  }

  readonly #issueOf = (answer: z.infer<typeof IssueAnswer>): Issue => {
    const { number, title, body, html_url: url, user, author_association: relation } = answer
    return {
      id: String(number),
      title,
      text: body ?? "",
      address: url ?? `${this.#settings.repo}#${number}`,
      author: user?.login ?? null,
      authorIds: user ? [user.login] : [],
      relation: relation ?? "",
      standing: this.#standingOf(answer),
    }
  }

  #standingOf({ state, labels, pull_request: pull }: z.infer<typeof IssueAnswer>) {
    const { ready, inProgress } = this.#settings.labels
    const names = labels.map((label) => (typeof label === "string" ? label : label.name))
    if (state !== "open" || pull !== undefined) return "other"
    if (names.includes(inProgress)) return "working"
    return names.includes(ready) ? "ready" : "other"
  }

  async #page(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    return await this.#ask(route, { ...params, per_page: PAGE_SIZE }, signal)
  }

  async #ask(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    const reply = await this.#client.send(route, { ...this.#repo, ...params }, signal)
    return answerOf(reply, this.#api)
  }
}

const commentOf = ({ id, body, user }: z.infer<typeof CommentAnswer>): Comment => {
  return { id: String(id), body: body ?? "", author: user?.login ?? "", order: id }
}
