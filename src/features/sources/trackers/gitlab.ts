/** The issues of a GitLab project as a source: a label says that an issue is ready. */
import { z } from "zod"
import { gitLabClient } from "../../rest/gitlab.ts"
import { withoutQuickActions } from "../../rest/quick-actions.ts"
import { SourceError } from "../errors.ts"
import type { Source } from "../source.ts"
import { type Answer, checked, GONE, mapped, thoseFit } from "./answer.ts"
import { type ApiParts, TrackerApi } from "./api.ts"
import type { Comment } from "./claims.ts"
import { issueStanding, labelsFor } from "./issue-standing.ts"
import { KnownMembers } from "./known-members.ts"
import { numbered } from "./pages.ts"
import type { IssuesSettings } from "./repository-issues.ts"
import { shownMarkdown } from "./shown-markdown.ts"
import type { Issue, Shown, Tracker } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

const PAGE_SIZE = 100
/** The access level of a developer, who may write to the repository. */
const DEVELOPER = 30

const User = z.object({ id: z.int(), username: z.string() }).nullish()

const IssueAnswer = z.object({
  iid: z.int().positive(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.string()),
  author: User,
  web_url: z.string().optional(),
})

const NoteAnswer = z.object({
  id: z.int(),
  body: z.string().nullish(),
  author: User,
  system: z.boolean().nullish(),
})

const MemberAnswer = z.object({ access_level: z.int() })

const ISSUES = "/projects/{project}/issues"

export const gitlabSource = (settings: IssuesSettings, parts: ApiParts): Source =>
  trackerSource(new GitLab(settings, parts), { ...settings, nowMs: parts.nowMs })

class GitLab implements Tracker {
  readonly name: string
  readonly #settings: IssuesSettings
  readonly #api: TrackerApi
  readonly #members: KnownMembers

  constructor(settings: IssuesSettings, parts: ApiParts) {
    const { apiUrl, repo } = settings
    this.name = `${repo} on GitLab`
    this.#settings = settings
    this.#api = new TrackerApi(gitLabClient, { ...parts, api: apiUrl }, { project: repo })
    this.#members = new KnownMembers(parts.nowMs)
  }

  nameOf(id: string): string {
    return `#${id}`
  }

  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>> {
    const { ready } = this.#settings.labels
    const query = { labels: ready, state: "opened", order_by: "updated_at", sort: "desc" }
    return numbered(async (page) => {
      const answer = await this.#api.ask(`GET ${ISSUES}`, { ...query, ...pageOf(page) }, signal)
      return mapped(checked(thoseFit(IssueAnswer), answer), (all) => all.map(this.#issueOf))
    })
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!/^[1-9]\d{0,9}$/.test(item)) return GONE
    const answer = await this.#api.ask(`GET ${ISSUES}/{item}`, { item }, signal)
    return mapped(checked(IssueAnswer, answer), this.#issueOf)
  }

  comments(item: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>> {
    const query = { item, order_by: "created_at", sort: "asc" }
    return numbered(async (page) => {
      const answer = await this.#api.ask(
        `GET ${ISSUES}/{item}/notes`,
        { ...query, ...pageOf(page) },
        signal,
      )
      return mapped(checked(z.array(NoteAnswer), answer), (all) =>
        all.filter(({ system }) => !system).map(commentOf),
      )
    })
  }

  /** GitLab's page hides the marker, and shows the text before it. */
  async comment(item: string, text: string, marker: string, signal: AbortSignal) {
    const body = `${withoutQuickActions(text)}\n\n<!-- ${marker} -->`
    const answer = await this.#api.ask(`POST ${ISSUES}/{item}/notes`, { item, body }, signal)
    return mapped(checked(NoteAnswer, answer), commentOf)
  }

  async removeComment(item: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.#api.ask(`DELETE ${ISSUES}/{item}/notes/{id}`, { item, id }, signal)
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const { wanted, unwanted } = labelsFor(shown, this.#settings.labels)
    const params = { item, add_labels: wanted, remove_labels: unwanted }
    return await this.#api.ask(`PUT ${ISSUES}/{item}`, params, signal)
  }

  async isMember({ relation: id }: Issue, signal: AbortSignal): Promise<boolean> {
    return await this.#members.has(id, async () => {
      const answer = await this.#api.ask("GET /projects/{project}/members/all/{id}", { id }, signal)
      const member = checked(MemberAnswer, answer)
      if (member.kind === "forbidden")
        throw new SourceError(
          "source.refused",
          `The token may not read the members of ${this.name}: ${member.why}.`,
        )
      return member.kind === "ok" && member.data.access_level >= DEVELOPER
    })
  }

  readonly #issueOf = (answer: z.infer<typeof IssueAnswer>): Issue => {
    const { iid, title, description, web_url: url, author, state, labels } = answer
    return {
      id: String(iid),
      title,
      text: shownMarkdown(description ?? ""),
      address: url ?? `${this.#settings.repo}#${iid}`,
      author: author?.username ?? null,
      authorIds: author ? [author.username] : [],
      relation: author ? String(author.id) : "",
      standing: issueStanding({ labels, state, isOpen: state === "opened" }, this.#settings),
    }
  }
}

const pageOf = (page: number) => ({ page, per_page: PAGE_SIZE })

const commentOf = ({ id, body, author }: z.infer<typeof NoteAnswer>): Comment => {
  return { id: String(id), body: body ?? "", author: author?.username ?? `of ${id}`, order: id }
}
