/** The issues of a repository on Gitea or Forgejo as a source: a label says that an issue is ready. */
import { z } from "zod"
import type { SourceConfig } from "../core/config.ts"
import type { ApiOptions, RestClient } from "../rest/client.ts"
import { giteaClient } from "../rest/gitea.ts"
import { SourceError } from "./errors.ts"
import type { Source } from "./source.ts"
import { type Answer, answerOf, checked, GONE, mapped, OK } from "./trackers/answer.ts"
import type { Comment } from "./trackers/claims.ts"
import { KnownMembers } from "./trackers/known-members.ts"
import { numbered } from "./trackers/pages.ts"
import type { Issue, Shown, Tracker } from "./trackers/tracker.ts"
import { trackerSource } from "./trackers/tracker-source.ts"

/** Servers give no more items on a page by default. */
const PAGE_SIZE = 50
/** Pages of one list, and a few more. */
const KEPT_MAX = 32
/** The permissions that let a user write to the repository. */
const MEMBERS: readonly string[] = ["write", "admin", "owner"]
/** 1,000 labels: more than a person makes. */
const LABEL_PAGES_MAX = 20
/** A label that Coppice makes is grey. */
const COLOR = "#808080"

type Settings = Pick<SourceConfig, "labels" | "authors" | "readyAgain"> & {
  /** URL of the API. */
  readonly apiUrl: string
  readonly repo: string
}
type Parts = Omit<ApiOptions, "api" | "keptMax">
type Params = Readonly<Record<string, unknown>>

const User = z.object({ login: z.string() }).nullish()
const Label = z.object({ id: z.int(), name: z.string() })
const LabelList = z.array(Label)

const IssueAnswer = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  html_url: z.string().optional(),
  user: User,
  labels: LabelList.nullish(),
  pull_request: z.unknown(),
})

const CommentAnswer = z.object({ id: z.int(), body: z.string().nullish(), user: User })
const PermissionAnswer = z.object({ permission: z.string() })

const REPO = "/repos/{owner}/{repo}"
const ISSUES = `${REPO}/issues`

export const giteaSource = (settings: Settings, parts: Parts): Source =>
  trackerSource(new Gitea(settings, parts), { ...settings, nowMs: parts.nowMs })

class Gitea implements Tracker {
  readonly name: string
  readonly #settings: Settings
  readonly #api: string
  readonly #client: RestClient
  readonly #members: KnownMembers
  /** The names of the repository, for routes. */
  readonly #repo: { readonly owner: string; readonly repo: string }

  constructor(settings: Settings, parts: Parts) {
    const { apiUrl, repo } = settings
    const [owner = "", name = ""] = repo.split("/")
    this.name = `${repo} on Gitea`
    this.#settings = settings
    this.#repo = { owner, repo: name }
    this.#api = apiUrl.replace(/\/+$/, "")
    this.#client = giteaClient({ ...parts, api: this.#api, keptMax: KEPT_MAX })
    this.#members = new KnownMembers(parts.nowMs)
  }

  nameOf(id: string): string {
    return `#${id}`
  }

  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>> {
    const { ready } = this.#settings.labels
    const query = { labels: ready, state: "open", type: "issues", sort: "recentupdate" }
    return numbered(async (page) => {
      const params = { ...query, page, limit: PAGE_SIZE }
      const answer = await this.#ask(`GET ${ISSUES}`, params, signal)
      return mapped(checked(z.array(IssueAnswer), answer), (all) => all.map(this.#issueOf))
    })
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!/^[1-9]\d{0,9}$/.test(item)) return GONE
    const answer = await this.#ask(`GET ${ISSUES}/{item}`, { item }, signal)
    return mapped(checked(IssueAnswer, answer), this.#issueOf)
  }

  /** Gitea gives them all in one answer. */
  comments(item: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>> {
    return numbered(async (page) => {
      const params = { item, page, limit: PAGE_SIZE }
      const answer = await this.#ask(`GET ${ISSUES}/{item}/comments`, params, signal)
      return mapped(checked(z.array(CommentAnswer), answer), (all) => all.map(commentOf))
    })
  }

  /** Gitea's page hides the mark, and shows the words before it. */
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
    const present = await this.#addLabel(item, wanted, signal)
    if (present.kind !== "ok") return present
    const unwanted = shown === "working" ? ready : inProgress
    for (const { id, name } of present.data) {
      if (name !== unwanted) continue
      const route = `DELETE ${ISSUES}/{item}/labels/{id}`
      const removed = await this.#ask(route, { item, id }, signal)
      if (removed.kind === "forbidden") return removed
    }
    return OK
  }

  /** @returns all labels of the issue then. */
  async #addLabel(item: string, name: string | undefined, signal: AbortSignal) {
    const route = `${ISSUES}/{item}/labels`
    if (name === undefined)
      return checked(LabelList, await this.#ask(`GET ${route}`, { item }, signal))
    const label = await this.#label(name, signal)
    if (label.kind !== "ok") return label
    const labels = [label.data.id]
    return checked(LabelList, await this.#ask(`POST ${route}`, { item, labels }, signal))
  }

  /** A label of the repository, or of the organization that owns it; else a new one. */
  async #label(name: string, signal: AbortSignal): Promise<Answer<z.infer<typeof Label>>> {
    for (const list of [`GET ${REPO}/labels`, "GET /orgs/{owner}/labels"]) {
      // Gitea names no next page of labels.
      for (let page = 1; page <= LABEL_PAGES_MAX; page++) {
        const answer = await this.#ask(list, { page, limit: PAGE_SIZE }, signal)
        const labels = checked(LabelList, answer)
        // The owner is no organization, or the token's scope leaves it out.
        if (labels.kind !== "ok" || labels.data.length === 0) break
        const found = labels.data.find((label) => label.name === name)
        if (found) return { ...labels, data: found }
      }
    }
    const made = await this.#ask(`POST ${REPO}/labels`, { name, color: COLOR }, signal)
    return checked(Label, made)
  }

  async isMember({ relation: user }: Issue, signal: AbortSignal): Promise<boolean> {
    return await this.#members.has(user, async () => {
      const route = `GET ${REPO}/collaborators/{user}/permission`
      const found = checked(PermissionAnswer, await this.#ask(route, { user }, signal))
      if (found.kind === "forbidden")
        throw new SourceError(
          "source.refused",
          `The token may not read who may write to ${this.name}: ${found.why}. Use the token of an administrator of the repository, or name the \`authors\` of the source.`,
        )
      return found.kind === "ok" && MEMBERS.includes(found.data.permission)
    })
  }

  readonly #issueOf = (answer: z.infer<typeof IssueAnswer>): Issue => {
    const { number, title, body, html_url: url, user } = answer
    return {
      id: String(number),
      title,
      text: body ?? "",
      address: url ?? `${this.#settings.repo}#${number}`,
      author: user?.login ?? null,
      authorIds: user ? [user.login] : [],
      relation: user?.login ?? "",
      standing: this.#standingOf(answer),
    }
  }

  #standingOf({ state, labels, pull_request: pull }: z.infer<typeof IssueAnswer>) {
    const { ready, inProgress } = this.#settings.labels
    const names = (labels ?? []).map(({ name }) => name)
    if (state !== "open" || (pull !== undefined && pull !== null)) return "other"
    if (names.includes(inProgress)) return "working"
    return names.includes(ready) ? "ready" : "other"
  }

  async #ask(route: string, params: Params, signal: AbortSignal): Promise<Answer> {
    const reply = await this.#client.send(route, { ...this.#repo, ...params }, signal)
    return answerOf(reply, this.#api)
  }
}

const commentOf = ({ id, body, user }: z.infer<typeof CommentAnswer>): Comment => {
  return { id: String(id), body: body ?? "", author: user?.login ?? "", order: id }
}
