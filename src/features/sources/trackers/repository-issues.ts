/** The issues of a repository behind GitHub's API, or one like it: a label says that an issue is ready. */
import { z } from "zod"
import type { SourceConfig } from "../../../config/config.ts"
import type { ApiOptions, RestClient } from "../../rest/client.ts"
import { type Answer, checked, GONE, mapped, thoseFit } from "./answer.ts"
import { type ApiParts, type Params, TrackerApi } from "./api.ts"
import type { Comment } from "./claims.ts"
import { issueStanding } from "./issue-standing.ts"
import { numbered } from "./pages.ts"
import { shownMarkdown } from "./shown-markdown.ts"
import type { Issue, Shown, Tracker } from "./tracker.ts"

export type IssuesSettings = Pick<SourceConfig, "labels" | "authors" | "readyAgain"> & {
  /** URL of the API. */
  readonly apiUrl: string
  readonly repo: string
}

/** The differences between the APIs. Default: GitHub's. */
type Kind = typeof GITHUBS & {
  readonly name: string
  client(options: ApiOptions): RestClient
  /** The parameter for items on a page, and its value. */
  readonly pageSize: Params
  /** The parameters that list issues alone, the last changed one first. */
  readonly order: Params
}
type GivenKind = Omit<Kind, keyof typeof GITHUBS> & Partial<typeof GITHUBS>

const User = z.object({ login: z.string() }).nullish()
const Label = z.union([z.string(), z.object({ name: z.string().nullish() })])

const IssueAnswer = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  html_url: z.string().optional(),
  user: User,
  author_association: z.string().nullish(),
  labels: z.array(Label).nullish(),
  pull_request: z.unknown().optional(),
})
export type IssueAnswer = z.infer<typeof IssueAnswer>

const CommentAnswer = z.object({ id: z.int(), body: z.string().nullish(), user: User })
/** `system`: the host wrote it. */
type CommentAnswer = z.infer<typeof CommentAnswer> & {
  readonly system?: boolean | null | undefined
}

export const REPO = "/repos/{owner}/{repo}"

const GITHUBS = {
  /** The parameters that name a repository in a route. */
  at: (repo: string): Params => {
    const [owner = "", name = ""] = repo.split("/")
    return { owner, repo: name }
  },
  issues: `${REPO}/issues`,
  /** The name of an issue's comments in a route, and the parameters that list the first one first. */
  comments: "comments",
  commentOrder: {} as Params,
  /** The state of an issue that is open. */
  open: "open",
  issue: IssueAnswer as z.ZodType<IssueAnswer>,
  comment: CommentAnswer as z.ZodType<CommentAnswer>,
}

export abstract class RepositoryIssues implements Tracker {
  readonly name: string
  protected readonly settings: IssuesSettings
  protected readonly api: TrackerApi
  readonly #kind: Kind

  constructor(given: GivenKind, settings: IssuesSettings, parts: ApiParts) {
    const { apiUrl, repo } = settings
    const kind = { ...GITHUBS, ...given }
    this.name = `${repo} on ${kind.name}`
    this.settings = settings
    this.#kind = kind
    this.api = new TrackerApi(kind.client, { ...parts, api: apiUrl }, kind.at(repo))
  }

  abstract show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer>
  abstract isMember(issue: Issue, signal: AbortSignal): Promise<boolean>

  /** See {@link Issue}. */
  protected relationOf({ author_association: relation }: IssueAnswer): string {
    return relation ?? ""
  }

  nameOf(id: string): string {
    return `#${id}`
  }

  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>> {
    const { order, issues, issue, open: state } = this.#kind
    const query = { ...order, labels: this.settings.labels.ready, state }
    return numbered(async (page) => {
      const answer = await this.page(`GET ${issues}`, { ...query, page }, signal)
      return mapped(checked(thoseFit(issue), answer), (all) => all.map(this.#issueOf))
    })
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!/^[1-9]\d{0,9}$/.test(item)) return GONE
    const answer = await this.api.ask(`GET ${this.#kind.issues}/{item}`, { item }, signal)
    return mapped(checked(this.#kind.issue, answer), this.#issueOf)
  }

  comments(item: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>> {
    const { issues, comments, comment, commentOrder } = this.#kind
    return numbered(async (page) => {
      const query = { ...commentOrder, item, page }
      const answer = await this.page(`GET ${issues}/{item}/${comments}`, query, signal)
      return mapped(checked(z.array(comment), answer), (all) =>
        all.filter(({ system }) => !system).map(commentOf),
      )
    })
  }

  /** The page of the issue hides the marker, and shows the text before it. */
  async comment(item: string, text: string, marker: string, signal: AbortSignal) {
    const { issues, comments, comment } = this.#kind
    const body = `${text}\n\n<!-- ${marker} -->`
    const answer = await this.api.ask(`POST ${issues}/{item}/${comments}`, { item, body }, signal)
    return mapped(checked(comment, answer), commentOf)
  }

  async removeComment(_: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.api.ask(`DELETE ${this.#kind.issues}/comments/{id}`, { id }, signal)
  }

  protected async page(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    return await this.api.ask(route, { ...params, ...this.#kind.pageSize }, signal)
  }

  readonly #issueOf = (answer: IssueAnswer): Issue => {
    const { number, title, body, html_url: url, user } = answer
    return {
      id: String(number),
      title,
      text: shownMarkdown(body ?? ""),
      address: url ?? `${this.settings.repo}#${number}`,
      author: user?.login ?? null,
      authorIds: user ? [user.login] : [],
      relation: this.relationOf(answer),
      standing: this.#standingOf(answer),
    }
  }

  #standingOf({ state, labels, pull_request: pull }: IssueAnswer) {
    const names = (labels ?? []).map((label) => (typeof label === "string" ? label : label.name))
    const isOpen = state === this.#kind.open && (pull === undefined || pull === null)
    return issueStanding({ labels: names, state, isOpen }, this.settings)
  }
}

const commentOf = ({ id, body, user }: CommentAnswer): Comment => {
  return { id: String(id), body: body ?? "", author: user?.login ?? `of ${id}`, order: id }
}
