/**
 * The issues of a tracker as a source.
 *
 * A claim is a comment (claims.ts); then the tracker shows the issue as in work, for people to see. An
 * end changes what is shown first and comments last: until then the claim holds.
 */
import type { SourceConfig } from "../../core/config.ts"
import { type ItemResult, isItemId } from "../../core/source-item.ts"
import { SourceError } from "../errors.ts"
import type { Claim, Claimed, Ended, Item, Listed, Source } from "../source.ts"
import { type Comment, hasEnded, holderOf, listOwn, markOf } from "./claims.ts"
import type { Issue, Tracker } from "./tracker.ts"

const CLAIMED =
  "A Coppice fleet works on this. To take it away from the fleet, delete this comment."
const LATE_COMMENT = "The tracker does not show a new comment yet."
/** How long an issue that is not ready any more may stay in the list. */
const LIST_AGE_MS = 10 * 60_000

/** The comments of this claim: they are deleted if it does not hold. */
type Own = { readonly own?: readonly Comment[] }
type Seen =
  | { readonly kind: "free" }
  | ({ readonly kind: "ours"; readonly issue: Issue } & Own)
  | ({ readonly kind: "taken" | "gone" } & Own)
  | ({ readonly kind: "refused"; readonly why: string } & Own)

type Settings = Pick<SourceConfig, "authors" | "readyAgain"> & { nowMs(): number }

export function trackerSource(tracker: Tracker, settings: Settings): Source {
  const source = new TrackerSource(tracker, settings)
  return {
    list: (signal) => source.list(signal),
    claim: (claim, signal) => source.claim(claim, signal),
    read: (item, signal) => source.read(item, signal),
    end: (claim, result, signal) => source.end(claim, result, signal),
  }
}

class TrackerSource {
  readonly #tracker: Tracker
  readonly #settings: Settings
  #listed: Listed | undefined
  #listedAtMs = 0

  constructor(tracker: Tracker, settings: Settings) {
    this.#tracker = tracker
    this.#settings = settings
  }

  /**
   * The newest change comes first in the list. So if its first page has not changed, no issue has become
   * ready since; only one that is not ready any more goes unnoticed, until all pages are read again.
   */
  async list(signal: AbortSignal): Promise<Listed> {
    const nowMs = this.#settings.nowMs()
    const isFresh = nowMs - this.#listedAtMs < LIST_AGE_MS
    const found: Issue[] = []
    let isWhole = false
    for await (const page of this.#tracker.list(signal)) {
      if (page.kind === "gone")
        throw this.#refused("there is no such project, or the token may not read it")
      if (page.kind === "forbidden") throw this.#refused(page.why)
      if (!page.isNew && found.length === 0 && isFresh && this.#listed) return this.#listed
      found.push(...page.data)
      isWhole = !page.hasNext
    }
    const ready: string[] = []
    const problems: string[] = []
    for (const issue of found) {
      if (issue.standing !== "ready") continue
      if (await this.#isAllowed(issue, signal)) ready.push(issue.id)
      else problems.push(this.#refusal(issue))
    }
    this.#listed = { ready: [...new Set(ready)].sort(inOrder.compare), isWhole, problems }
    this.#listedAtMs = nowMs
    return this.#listed
  }

  /** The comment first; then everything is read again, because another fleet may have been quicker. */
  async claim(claim: Claim, signal: AbortSignal): Promise<Claimed> {
    const seen = await this.#look(claim, signal)
    if (seen.kind !== "free") return await this.#settle(claim, seen, signal)
    const { item, nonce } = claim
    const added = await this.#tracker.comment(item, CLAIMED, markOf("claim", nonce), signal)
    if (added.kind === "gone") return added
    if (added.kind === "forbidden") return { kind: "refused", why: added.why }
    const now = await this.#look(claim, signal)
    if (now.kind === "free") throw new SourceError("source.unreachable", LATE_COMMENT)
    return await this.#settle(claim, now, signal)
  }

  /** How the issue stands for this claim. `free`: no claim holds; `ours`: this claim does. */
  async #look({ item, nonce }: Claim, signal: AbortSignal): Promise<Seen> {
    const issue = await this.#find(item, signal)
    if (issue.kind === "gone") return issue
    if (issue.kind === "forbidden") return { kind: "refused", why: issue.why }
    const comments = await this.#comments(item, signal)
    if (!comments) {
      const name = this.#tracker.nameOf(item)
      return { kind: "refused", why: `${name} has more comments than can be read.` }
    }
    const own = listOwn(comments, nonce)
    const holder = holderOf(comments)
    if (holder && holder.nonce !== nonce) return { kind: "taken", own }
    // An issue that we already show as in work is still ours.
    const { standing } = issue.data
    const isReady = standing === "ready" || (holder !== undefined && standing === "working")
    if (!isReady) return { kind: "gone", own }
    if (!(await this.#isAllowed(issue.data, signal)))
      return { kind: "refused", why: this.#refusal(issue.data), own }
    return holder ? { kind: "ours", issue: issue.data, own } : { kind: "free" }
  }

  /** Shows a claim that holds; removes one that does not, or that cannot be shown. */
  async #settle(
    { item }: Claim,
    seen: Exclude<Seen, { kind: "free" }>,
    signal: AbortSignal,
  ): Promise<Claimed> {
    const { own = [] } = seen
    if (seen.kind === "ours") {
      const shown = await this.#tracker.show(item, "working", signal)
      if (shown.kind === "ok") return { kind: "claimed", item: itemOf(seen.issue) }
      await this.#remove(item, own, signal)
      return shown.kind === "gone" ? { kind: "gone" } : { kind: "refused", why: shown.why }
    }
    if (own.length > 0 && seen.kind !== "taken") await this.#tracker.show(item, "dropped", signal)
    await this.#remove(item, own, signal)
    return seen.kind === "refused" ? { kind: "refused", why: seen.why } : { kind: seen.kind }
  }

  async #remove(item: string, comments: readonly Comment[], signal: AbortSignal): Promise<void> {
    for (const { id } of comments) await this.#tracker.removeComment(item, id, signal)
  }

  async read(id: string, signal: AbortSignal): Promise<Item | undefined> {
    const issue = await this.#find(id, signal)
    if (issue.kind !== "ok" || !(await this.#isAllowed(issue.data, signal))) return undefined
    return itemOf(issue.data)
  }

  async end(
    { item, nonce }: Claim,
    { kind, text }: ItemResult,
    signal: AbortSignal,
  ): Promise<Ended> {
    const staysListed = kind === "released" && this.#settings.readyAgain
    const comments = await this.#comments(item, signal)
    if (!comments || hasEnded(comments, nonce)) return { staysListed }
    // A person who deleted the claim has taken the issue away from us: they say how it stands.
    if (holderOf(comments)?.nonce === nonce) {
      const left = staysListed ? "ready" : "dropped"
      await this.#tracker.show(item, kind === "done" ? "done" : left, signal)
    }
    const said = await this.#tracker.comment(item, text, markOf("end", nonce), signal)
    if (said.kind !== "ok") await this.#remove(item, listOwn(comments, nonce), signal)
    return { staysListed }
  }

  async #isAllowed(issue: Issue, signal: AbortSignal): Promise<boolean> {
    const { authors } = this.#settings
    if (authors === "anyone") return true
    if (authors === "members") return await this.#tracker.isMember(issue, signal)
    const ids = issue.authorIds.map((id) => id.toLowerCase())
    return authors.some((author) => ids.includes(author.toLowerCase()))
  }

  #refused(why: string): SourceError {
    return new SourceError("source.refused", `${this.#tracker.name} cannot be read: ${why}.`)
  }

  #refusal({ id, author }: Issue): string {
    const who = author ?? "a deleted user"
    return `${this.#tracker.nameOf(id)} is not taken: its author, ${who}, is not among \`authors\`.`
  }

  async #find(id: string, signal: AbortSignal): ReturnType<Tracker["find"]> {
    return isItemId(id) ? await this.#tracker.find(id, signal) : { kind: "gone" }
  }

  /** All comments, oldest first. Undefined: they cannot be read, or not all of them. */
  async #comments(item: string, signal: AbortSignal): Promise<readonly Comment[] | undefined> {
    const found: Comment[] = []
    let isWhole = false
    for await (const page of this.#tracker.comments(item, signal)) {
      if (page.kind !== "ok") return undefined
      found.push(...page.data)
      isWhole = !page.hasNext
    }
    return isWhole ? found : undefined
  }
}

/** `ENG-2` comes before `ENG-10`. */
const inOrder = new Intl.Collator("en", { numeric: true })

function itemOf({ id, title, text, address, author }: Issue): Item {
  return { id, title, text, address, author }
}
