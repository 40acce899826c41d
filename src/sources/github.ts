/**
 * The issues of a GitHub repository as a source.
 *
 * A label says that an issue is ready. A claim is a comment (github/claims.ts); then the labels change,
 * for people to see. An end changes the labels first and the comment last: until then the claim holds.
 */
import { z } from "zod"
import type { SourceConfig } from "../core/config.ts"
import type { ItemResult } from "../core/source-item.ts"
import { GitHubClient, type GitHubOptions } from "../github/client.ts"
import { SourceError } from "./errors.ts"
import { type Answer, answerOf } from "./github/answer.ts"
import { type Comment, hasEnded, holderOf, listOwn, markOf } from "./github/claims.ts"
import type { Claim, Claimed, Ended, Item, Listed, Source } from "./source.ts"

const PUBLIC_URL = "https://api.github.com"
const PAGE_SIZE = 100
/** Pages of one list, and a few more. */
const KEPT_MAX = 32
/** A list of 1,000 issues, and as many comments on one: more than a person reads. */
const PAGES_MAX = 10
/** The relations of an author to the repository that let them write to it. */
const MEMBERS: readonly unknown[] = ["OWNER", "MEMBER", "COLLABORATOR"]
const CLAIMED =
  "A Coppice fleet works on this. To take it away from the fleet, delete this comment."

const LIST = "GET /repos/{owner}/{repo}/issues"
/** How long an issue that lost its label may stay in the list. */
const LIST_AGE_MS = 10 * 60_000
const LATE_COMMENT = "GitHub does not show a new comment yet."

/** The comments of this claim: they are deleted if it does not hold. */
type Own = { readonly own?: readonly Comment[] }
type Seen =
  | { readonly kind: "free" }
  | { readonly kind: "ours"; readonly issue: Issue }
  | ({ readonly kind: "taken" | "gone" } & Own)
  | ({ readonly kind: "refused"; readonly why: string } & Own)

type Settings = Pick<SourceConfig, "labels" | "authors" | "readyAgain"> & {
  readonly repo: string
  readonly apiUrl: string | undefined
}

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
type Issue = z.infer<typeof IssueAnswer>

const CommentAnswer = z.object({ id: z.int(), body: z.string().nullish(), user: User })

export function githubSource(
  settings: Settings,
  parts: Omit<GitHubOptions, "api" | "keptMax">,
): Source {
  const source = new GitHubSource(settings, parts)
  return {
    list: (signal) => source.list(signal),
    claim: (claim, signal) => source.claim(claim, signal),
    read: (item, signal) => source.read(item, signal),
    end: (claim, result, signal) => source.end(claim, result, signal),
  }
}

class GitHubSource {
  readonly #settings: Settings
  readonly #api: string
  readonly #client: GitHubClient
  /** The names of the repository, for routes. */
  readonly #repo: { readonly owner: string; readonly repo: string }
  readonly #nowMs: () => number
  #listed: Listed | undefined
  #listedAtMs = 0

  constructor(settings: Settings, parts: Omit<GitHubOptions, "api" | "keptMax">) {
    this.#settings = settings
    const { apiUrl = PUBLIC_URL, repo } = settings
    const [owner = "", name = ""] = repo.split("/")
    this.#repo = { owner, repo: name }
    this.#nowMs = parts.nowMs
    this.#api = apiUrl.replace(/\/+$/, "")
    this.#client = new GitHubClient({ ...parts, api: this.#api, keptMax: KEPT_MAX })
  }

  /**
   * The newest change comes first in the list. So if its first page has not changed, no issue has become
   * ready since; only one that is not ready any more goes unnoticed, until all pages are read again.
   */
  async list(signal: AbortSignal): Promise<Listed> {
    const { labels } = this.#settings
    const query = { labels: labels.ready, state: "open", sort: "updated", direction: "desc" }
    const nowMs = this.#nowMs()
    const isFresh = nowMs - this.#listedAtMs < LIST_AGE_MS
    const found: Issue[] = []
    let isWhole = false
    for await (const page of this.#pages(IssueAnswer, LIST, query, signal)) {
      if (page.kind === "gone")
        throw this.#refused("it has no such repository, or the token may not read it")
      if (page.kind === "forbidden") throw this.#refused(page.why)
      if (!page.isNew && found.length === 0 && isFresh && this.#listed) return this.#listed
      found.push(...page.data)
      isWhole = !page.hasNext
    }
    const issues = found.filter(({ pull_request: pull }) => pull === undefined)
    const isTaken = (issue: Issue) => this.#isAllowed(issue) && !hasLabel(issue, labels.inProgress)
    const ready = issues.filter(isTaken).map(({ number }) => number)
    const others = issues.filter((issue) => !this.#isAllowed(issue))
    const ids = [...new Set(ready)].sort((one, other) => one - other).map(String)
    this.#listed = { ready: ids, isWhole, problems: others.map((one) => this.#refusal(one)) }
    this.#listedAtMs = nowMs
    return this.#listed
  }

  /** The comment first; then everything is read again, because another fleet may have been quicker. */
  async claim(claim: Claim, signal: AbortSignal): Promise<Claimed> {
    const seen = await this.#look(claim, signal)
    if (seen.kind !== "free") return await this.#settle(claim, seen, signal)
    const body = `${CLAIMED}\n\n${markOf("claim", claim.nonce)}`
    const added = await this.#comment(claim.item, body, signal)
    if (added.kind === "gone") return added
    if (added.kind === "forbidden") return { kind: "refused", why: added.why }
    const now = await this.#look(claim, signal)
    if (now.kind === "free") throw new SourceError("source.unreachable", LATE_COMMENT)
    return await this.#settle(claim, now, signal)
  }

  /** How the issue stands for this claim. `free`: no claim holds; `ours`: this claim does. */
  async #look({ item, nonce }: Claim, signal: AbortSignal): Promise<Seen> {
    const issue = await this.#readIssue(item, signal)
    if (issue.kind === "gone") return issue
    if (issue.kind === "forbidden") return { kind: "refused", why: issue.why }
    const comments = await this.#comments(item, signal)
    if (!comments) return { kind: "refused", why: `#${item} has more comments than can be read.` }
    const own = listOwn(comments, nonce)
    const holder = holderOf(comments)
    if (holder && holder.nonce !== nonce) return { kind: "taken", own }
    if (!this.#isReady(issue.data, holder !== undefined)) return { kind: "gone", own }
    if (!this.#isAllowed(issue.data))
      return { kind: "refused", why: this.#refusal(issue.data), own }
    return holder ? { kind: "ours", issue: issue.data } : { kind: "free" }
  }

  /** Shows a claim that holds in the labels; removes one that does not. */
  async #settle(
    { item }: Claim,
    seen: Exclude<Seen, { kind: "free" }>,
    signal: AbortSignal,
  ): Promise<Claimed> {
    const { ready, inProgress } = this.#settings.labels
    if (seen.kind === "ours") {
      await this.#label(item, { add: inProgress }, signal)
      await this.#label(item, { remove: ready }, signal)
      return { kind: "claimed", item: this.#itemOf(seen.issue) }
    }
    const { own = [] } = seen
    if (own.length > 0 && seen.kind !== "taken")
      await this.#label(item, { remove: inProgress }, signal)
    for (const { id } of own)
      await this.#ask("DELETE /repos/{owner}/{repo}/issues/comments/{id}", { id }, signal)
    return seen.kind === "refused" ? { kind: "refused", why: seen.why } : { kind: seen.kind }
  }

  async read(id: string, signal: AbortSignal): Promise<Item | undefined> {
    const issue = await this.#readIssue(id, signal)
    if (issue.kind !== "ok" || !this.#isAllowed(issue.data)) return undefined
    return this.#itemOf(issue.data)
  }

  async end(
    { item, nonce }: Claim,
    { kind, text }: ItemResult,
    signal: AbortSignal,
  ): Promise<Ended> {
    const { labels, readyAgain } = this.#settings
    const staysListed = kind === "released" && readyAgain
    const comments = await this.#comments(item, signal)
    if (!comments || hasEnded(comments, nonce)) return { staysListed }
    // A person who deleted the claim has taken the issue away from us: its labels are theirs.
    if (holderOf(comments)?.nonce === nonce) {
      if (staysListed) await this.#label(item, { add: labels.ready }, signal)
      await this.#label(item, { remove: labels.inProgress }, signal)
    }
    await this.#comment(item, `${text}\n\n${markOf("end", nonce)}`, signal)
    return { staysListed }
  }

  /** An issue whose label we have moved already is still ours. */
  #isReady(issue: Issue, isOurs: boolean): boolean {
    const { ready, inProgress } = this.#settings.labels
    if (issue.state !== "open" || issue.pull_request !== undefined) return false
    return hasLabel(issue, ready) || (isOurs && hasLabel(issue, inProgress))
  }

  #isAllowed({ user, author_association: relation }: Issue): boolean {
    const { authors } = this.#settings
    if (authors === "anyone") return true
    if (authors === "members") return MEMBERS.includes(relation)
    const login = user?.login.toLowerCase()
    return authors.some((author) => author.toLowerCase() === login)
  }

  #refused(why: string): SourceError {
    return new SourceError(
      "source.refused",
      `${this.#settings.repo} on GitHub cannot be read: ${why}.`,
    )
  }

  #refusal({ number, user }: Issue): string {
    return `#${number} is not taken: its author, ${user?.login ?? "a deleted user"}, is not among \`authors\`.`
  }

  #itemOf({ number, title, body, html_url: url, user }: Issue): Item {
    const address = url ?? `${this.#settings.repo}#${number}`
    return { id: String(number), title, text: body ?? "", address, author: user?.login ?? null }
  }

  async #readIssue(item: string, signal: AbortSignal): Promise<Answer<Issue>> {
    if (!/^[1-9]\d{0,9}$/.test(item)) return { kind: "gone" }
    const route = "GET /repos/{owner}/{repo}/issues/{item}"
    return checked(IssueAnswer, await this.#ask(route, { item }, signal))
  }

  /** All comments, oldest first. Undefined: they cannot be read, or not all of them. */
  async #comments(item: string, signal: AbortSignal): Promise<Comment[] | undefined> {
    const route = "GET /repos/{owner}/{repo}/issues/{item}/comments"
    const found: z.infer<typeof CommentAnswer>[] = []
    let isWhole = false
    for await (const page of this.#pages(CommentAnswer, route, { item }, signal)) {
      if (page.kind !== "ok") return undefined
      found.push(...page.data)
      isWhole = !page.hasNext
    }
    if (!isWhole) return undefined
    return found
      .map(({ id, body, user }) => ({ id, body: body ?? "", author: user?.login ?? "" }))
      .sort((one, other) => one.id - other.id)
  }

  #comment(item: string, body: string, signal: AbortSignal): Promise<Answer> {
    return this.#ask("POST /repos/{owner}/{repo}/issues/{item}/comments", { item, body }, signal)
  }

  /** A label that is there already, or gone already, is no failure. */
  async #label(
    item: string,
    change: { readonly add: string } | { readonly remove: string },
    signal: AbortSignal,
  ): Promise<void> {
    const at = "/repos/{owner}/{repo}/issues/{item}/labels"
    if ("add" in change) await this.#ask(`POST ${at}`, { item, labels: [change.add] }, signal)
    else await this.#ask(`DELETE ${at}/{name}`, { item, name: change.remove }, signal)
  }

  async *#pages<Data>(
    schema: z.ZodType<Data>,
    route: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): AsyncGenerator<Answer<readonly Data[]>> {
    for (let page = 1; page <= PAGES_MAX; page++) {
      const asked = { ...params, per_page: PAGE_SIZE, page }
      const answer = checked(z.array(schema), await this.#ask(route, asked, signal))
      yield answer
      if (answer.kind !== "ok" || !answer.hasNext) return
    }
  }

  async #ask(
    route: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const reply = await this.#client.send(route, { ...this.#repo, ...params }, signal)
    return answerOf(reply, this.#api)
  }
}

/** @throws {SourceError} for the answer of something else, such as a proxy. */
function checked<Data>(schema: z.ZodType<Data>, answer: Answer): Answer<Data> {
  if (answer.kind !== "ok") return answer
  const { data, success } = schema.safeParse(answer.data)
  if (!success)
    throw new SourceError("source.unreachable", "The answer is not one of GitHub's API.")
  return { ...answer, data }
}

const hasLabel = ({ labels }: Issue, wanted: string): boolean =>
  labels.some((label) => (typeof label === "string" ? label : label.name) === wanted)
