/** The issues of a Linear team as a source: a label, or a state, says that an issue is ready. */

import { goesOn, type WallWait } from "../../../base/wall-wait.ts"
import type { SourceConfig } from "../../../config/config.ts"
import { SourceError } from "../errors.ts"
import type { Source } from "../source.ts"
import { type Answer, GONE, mapped, OK } from "./answer.ts"
import type { ApiParts } from "./api.ts"
import type { Comment } from "./claims.ts"
import { changeFor, issueStanding, namesOf } from "./issue-standing.ts"
import { LinearApi } from "./linear/api.ts"
import {
  ADD_COMMENT,
  CHANGE,
  COMMENTS,
  type CommentAnswer,
  ISSUES,
  type IssueAnswer,
  NAMES,
  type PageAnswer,
  REMOVE_COMMENT,
} from "./linear/queries.ts"
import { chained } from "./pages.ts"
import type { Issue, Shown, Tracker } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

const PAGE_SIZE = 100
/** The types of a state in which no work is left. */
const ENDED = ["completed", "canceled", "duplicate"]
/** A label or state that is made again, under the same name, is noticed after this time. */
const NAMES_KEPT_MS = 10 * 60_000

type Settings = Pick<SourceConfig, "labels" | "states" | "authors" | "readyAgain" | "slug"> & {
  /** URL of the API, without `/graphql`. */
  readonly apiUrl: string
  /** The team's key, as in `ENG-17`. */
  readonly team: string
}

export const linearSource = (settings: Settings, parts: ApiParts): Source =>
  trackerSource(new Linear(settings, parts), { ...settings, nowMs: parts.nowMs })

class Linear implements Tracker {
  readonly name: string
  readonly #settings: Settings
  readonly #api: LinearApi
  readonly #nowMs: () => number
  /** The ids of labels and states, by name. */
  #ids: (WallWait & { readonly byName: ReadonlyMap<string, string> }) | undefined

  constructor(settings: Settings, parts: ApiParts) {
    this.name = `The team ${settings.team} in Linear`
    this.#settings = settings
    this.#nowMs = parts.nowMs
    this.#api = new LinearApi({ ...parts, api: settings.apiUrl })
  }

  nameOf(id: string): string {
    return id
  }

  async *list(signal: AbortSignal): AsyncGenerator<Answer<readonly Issue[]>> {
    const ids = await this.#findIds(signal)
    if (ids.kind !== "ok") return yield ids
    const { labels, states } = this.#settings
    const wanted = states
      ? { state: { name: { in: states.ready } } }
      : { labels: { some: { name: { eq: labels.ready } } }, state: { type: { nin: ENDED } } }
    const filter = { ...this.#scope(), ...wanted }
    yield* chained(async (after) => {
      const answer = await this.#issues({ filter, first: PAGE_SIZE, after }, signal)
      return mapped(answer, ({ nodes, pageInfo }) => ({
        items: nodes.map(this.#issueOf),
        next: nextOf(pageInfo),
      }))
    })
  }

  async find(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    const answer = await this.#find(item, signal)
    return mapped(answer, this.#issueOf)
  }

  /** An issue that was moved to another team, or archived, is gone. */
  async #find(item: string, signal: AbortSignal): Promise<Answer<IssueAnswer>> {
    const filter = this.#filterOf(item)
    if (!filter) return GONE
    const answer = await this.#issues({ filter, first: 1 }, signal)
    if (answer.kind !== "ok") return answer
    const [issue] = answer.data.nodes
    return issue ? { ...answer, data: issue } : GONE
  }

  #filterOf(item: string): object | undefined {
    const { team } = this.#settings
    const number = item.startsWith(`${team}-`) ? item.slice(team.length + 1) : ""
    if (!/^[1-9]\d{0,8}$/.test(number)) return undefined
    return { ...this.#scope(), number: { eq: Number(number) } }
  }

  /** The address of a project has its name before the slug. */
  #scope() {
    const { team, slug } = this.#settings
    const project = slug && { project: { slugId: { in: [slug, slug.replace(/^.*-/, "")] } } }
    return { team: { key: { eq: team } }, ...project }
  }

  async #issues(variables: object, signal: AbortSignal) {
    const labels = Object.values(this.#settings.labels)
    const answer = await this.#api.ask(ISSUES, { ...variables, labels }, signal)
    return mapped(answer, ({ issues }) => issues)
  }

  async *comments(item: string, signal: AbortSignal): AsyncGenerator<Answer<readonly Comment[]>> {
    const issue = this.#filterOf(item)
    if (!issue) return yield GONE
    const filter = { issue }
    yield* chained(async (after) => {
      const answer = await this.#api.ask(COMMENTS, { filter, first: PAGE_SIZE, after }, signal)
      return mapped(answer, ({ comments: { nodes, pageInfo } }) => ({
        items: nodes.map(commentOf),
        next: nextOf(pageInfo),
      }))
    })
  }

  /** Linear drops comments of HTML, so the marker is code. */
  async comment(issue: string, text: string, marker: string, signal: AbortSignal) {
    const body = `${text}\n\n\`${marker}\``
    const answer = await this.#api.ask(ADD_COMMENT, { issue, body }, signal)
    return mapped(answer, ({ commentCreate }) => commentOf(commentCreate.comment))
  }

  async removeComment(_: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.#api.ask(REMOVE_COMMENT, { id }, signal)
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const ids = await this.#findIds(signal)
    const found = await this.#find(item, signal)
    if (ids.kind !== "ok") return ids
    if (found.kind !== "ok") return found
    const { add, remove, state } = changeFor(shown, seenOf(found.data), this.#settings)
    const change = {
      ...(add.length > 0 && { addedLabelIds: add.map((name) => ids.data.get(name)) }),
      ...(remove.length > 0 && { removedLabelIds: remove.map((name) => ids.data.get(name)) }),
      ...(state !== undefined && { stateId: ids.data.get(state) }),
    }
    if (Object.keys(change).length === 0) return OK
    return await this.#api.ask(CHANGE, { issue: item, change }, signal)
  }

  async isMember({ relation }: Issue): Promise<boolean> {
    return relation === "member"
  }

  /** The ids of all labels or states in use. @throws {SourceError} if the team lacks one. */
  async #findIds(signal: AbortSignal): Promise<Answer<ReadonlyMap<string, string>>> {
    const nowMs = this.#nowMs()
    const known = this.#ids
    if (known && goesOn(known, nowMs)) return { kind: "ok", data: known.byName, hasNext: false }
    const { team, states } = this.#settings
    const names = namesOf(this.#settings)
    const answer = await this.#api.ask(NAMES, { team, names }, signal)
    if (answer.kind !== "ok") return answer
    if (answer.data.teams.nodes.length === 0) return GONE
    const { nodes } = states ? answer.data.workflowStates : answer.data.issueLabels
    const byName = new Map(nodes.map(({ id, name }) => [name, id]))
    const missing = names.find((name) => !byName.has(name))
    if (missing !== undefined) throw this.#lack(missing)
    this.#ids = { byName, fromMs: nowMs, untilMs: nowMs + NAMES_KEPT_MS }
    return { ...answer, data: byName }
  }

  #lack(missing: string): SourceError {
    const [kind, key] = this.#settings.states ? ["state", "states"] : ["label", "labels"]
    return new SourceError(
      "source.refused",
      `${this.name} has no ${kind} "${missing}". Make it there, or set \`${key}\` of the source.`,
    )
  }

  readonly #issueOf = (answer: IssueAnswer): Issue => {
    const { identifier, title, description, url, creator } = answer
    return {
      id: identifier,
      title,
      text: description ?? "",
      address: url,
      author: creator?.displayName ?? null,
      authorIds: creator ? [creator.displayName, creator.email] : [],
      relation: creator?.active && !creator.guest && !creator.app ? "member" : "",
      standing: issueStanding(seenOf(answer), this.#settings),
    }
  }
}

const seenOf = ({ labels, state }: IssueAnswer) => ({
  labels: labels.nodes.map(({ name }) => name),
  state: state.name,
  isOpen: !ENDED.includes(state.type),
})

/** @throws {SourceError} for a list that is cut off. */
function nextOf({ hasNextPage, endCursor }: PageAnswer): string | undefined {
  if (!hasNextPage) return undefined
  if (!endCursor) throw new SourceError("source.unreachable", "Linear cut off a list.")
  return endCursor
}

/** Two comments without a user are not by the same author. */
const commentOf = ({ id, body, createdAt, user }: CommentAnswer): Comment => {
  return { id, body, author: user?.id ?? `of ${id}`, order: Date.parse(createdAt) }
}
