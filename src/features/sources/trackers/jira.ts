/** The issues of a Jira project as a source: a label, or a status, says that an issue is ready. */
import type { SourceConfig } from "../../../config/config.ts"
import type { ApiOptions } from "../../rest/client.ts"
import { SourceError } from "../errors.ts"
import type { Source } from "../source.ts"
import { type Answer, checked, GONE, mapped, OK } from "./answer.ts"
import { TrackerApi } from "./api.ts"
import type { Comment } from "./claims.ts"
import { type Change, changeFor, issueStanding } from "./issue-standing.ts"
import {
  CommentAnswer,
  CommentsAnswer,
  IssueAnswer,
  IssuesAnswer,
  type JiraParts,
  jiraClient,
  TransitionsAnswer,
  UsersAnswer,
} from "./jira/answers.ts"
import { documentOf, textOfDocument } from "./jira/document.ts"
import { KnownMembers } from "./known-members.ts"
import { chained } from "./pages.ts"
import type { Issue, Shown, Tracker } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

const PAGE_SIZE = 100

type Settings = Pick<SourceConfig, "labels" | "states" | "authors" | "readyAgain"> & {
  /** URL of the site, such as `https://acme.atlassian.net`. */
  readonly apiUrl: string
  /** The project's key, as in `ENG-17`. */
  readonly project: string
}

const API = "/rest/api/3"
const ISSUE = `${API}/issue/{item}`
const FIELDS = "summary,description,labels,status,creator"

export const jiraSource = (settings: Settings, parts: JiraParts): Source =>
  trackerSource(new Jira(settings, parts), { ...settings, nowMs: parts.nowMs })

class Jira implements Tracker {
  readonly name: string
  readonly #settings: Settings
  readonly #api: TrackerApi
  readonly #members: KnownMembers

  constructor(settings: Settings, { email, ...parts }: JiraParts) {
    this.name = `The project ${settings.project} in Jira`
    this.#settings = settings
    const client = (options: ApiOptions) => jiraClient(options, email)
    this.#api = new TrackerApi(client, { ...parts, api: settings.apiUrl })
    this.#members = new KnownMembers(parts.nowMs)
  }

  nameOf(id: string): string {
    return id
  }

  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>> {
    const query = { jql: this.#jql(), fields: FIELDS, maxResults: PAGE_SIZE }
    return chained(async (nextPageToken) => {
      const answer = await this.#api.ask(
        `GET ${API}/search/jql`,
        { ...query, nextPageToken },
        signal,
      )
      return mapped(checked(IssuesAnswer, answer), ({ issues, nextPageToken: next }) => ({
        items: issues.map(this.#issueOf),
        next: next ?? undefined,
      }))
    })
  }

  #jql(): string {
    const { project, labels, states } = this.#settings
    const ready = states
      ? `status IN (${states.ready.map(quoted).join(", ")})`
      : `labels = ${quoted(labels.ready)} AND statusCategory != Done`
    return `project = ${quoted(project)} AND ${ready} ORDER BY updated DESC`
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    return mapped(await this.#find(item, signal), this.#issueOf)
  }

  /** Jira finds an issue that was moved by its old key too. */
  async #find(item: string, signal: AbortSignal): Promise<Answer<IssueAnswer>> {
    const prefix = `${this.#settings.project}-`
    if (!item.startsWith(prefix) || !/^[1-9]\d{0,8}$/.test(item.slice(prefix.length))) return GONE
    const answer = await this.#api.ask(`GET ${ISSUE}`, { item, fields: FIELDS }, signal)
    const found = checked(IssueAnswer, answer)
    return found.kind === "ok" && found.data.key !== item ? GONE : found
  }

  comments(item: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>> {
    const query = { item, maxResults: PAGE_SIZE, orderBy: "created" }
    return chained(async (startAt = "0") => {
      const answer = await this.#api.ask(`GET ${ISSUE}/comment`, { ...query, startAt }, signal)
      return mapped(checked(CommentsAnswer, answer), ({ comments, startAt: first, total }) => {
        const end = first + comments.length
        if (comments.length === 0 && end < total)
          throw new SourceError("source.unreachable", "Jira cut off the list of comments.")
        return { items: comments.map(commentOf), next: end < total ? String(end) : undefined }
      })
    })
  }

  async comment(item: string, text: string, marker: string, signal: AbortSignal) {
    const body = documentOf(text, marker)
    const answer = await this.#api.ask(`POST ${ISSUE}/comment`, { item, body }, signal)
    return mapped(checked(CommentAnswer, answer), commentOf)
  }

  async removeComment(item: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.#api.ask(`DELETE ${ISSUE}/comment/{id}`, { item, id }, signal)
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const found = await this.#find(item, signal)
    if (found.kind !== "ok") return found
    const change = changeFor(shown, seenOf(found.data), this.#settings)
    if (change.state !== undefined) return await this.#moveTo(change.state, item, signal)
    const labels = operationsOf(change)
    if (labels.length === 0) return OK
    return await this.#api.ask(`PUT ${ISSUE}`, { item, update: { labels } }, signal)
  }

  /** A workflow says which statuses can follow which. */
  async #moveTo(status: string, item: string, signal: AbortSignal): Promise<Answer> {
    const answer = await this.#api.ask(`GET ${ISSUE}/transitions`, { item }, signal)
    const known = checked(TransitionsAnswer, answer)
    if (known.kind !== "ok") return known
    const transition = known.data.transitions.find(({ to }) => to.name === status)
    if (!transition)
      return { kind: "forbidden", why: `No transition leads ${item} to "${status}" now.` }
    const { id } = transition
    return await this.#api.ask(`POST ${ISSUE}/transitions`, { item, transition: { id } }, signal)
  }

  /** A member can have issues of the project. */
  async isMember({ relation: accountId }: Issue, signal: AbortSignal): Promise<boolean> {
    return await this.#members.has(accountId, async () => {
      const query = { project: this.#settings.project, accountId }
      const answer = await this.#api.ask(`GET ${API}/user/assignable/search`, query, signal)
      const found = checked(UsersAnswer, answer)
      if (found.kind === "forbidden")
        throw new SourceError(
          "source.refused",
          `The token may not read the users of ${this.#settings.project} in Jira: ${found.why}.`,
        )
      return found.kind === "ok" && found.data.some((user) => user.accountId === accountId)
    })
  }

  readonly #issueOf = (answer: IssueAnswer): Issue => {
    const { summary, description, creator } = answer.fields
    const isPerson = creator?.active === true && creator.accountType === "atlassian"
    return {
      id: answer.key,
      title: summary,
      text: textOfDocument(description),
      address: `${this.#api.url}/browse/${answer.key}`,
      author: creator ? (creator.displayName ?? creator.accountId) : null,
      // A user can choose any name to be shown, so that is none of them.
      authorIds: creator ? [creator.accountId, creator.emailAddress ?? creator.accountId] : [],
      relation: isPerson ? creator.accountId : "",
      standing: issueStanding(seenOf(answer), this.#settings),
    }
  }
}

const seenOf = ({ fields: { labels, status } }: IssueAnswer) => ({
  labels,
  state: status.name,
  isOpen: status.statusCategory.key !== "done",
})

/** Each changes one label, so that no other change of labels is undone. */
const operationsOf = ({ add, remove }: Change) => [
  ...add.map((label) => ({ add: label })),
  ...remove.map((label) => ({ remove: label })),
]

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`

const commentOf = ({ id, body, author }: CommentAnswer): Comment => {
  const { accountId = `of ${id}` } = author ?? {}
  return { id, body: textOfDocument(body), author: accountId, order: Number(id) }
}
