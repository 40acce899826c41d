/**
 * The issues of a tracker as a source.
 *
 * A claim is a comment (claims.ts); then the tracker shows the issue as in work, for people to see. An
 * end changes what is shown first and comments last: until then the claim holds.
 */
import { setTimeout } from "node:timers/promises"
import { goesOn, type WallWait } from "../../../base/wall-wait.ts"
import type { SourceConfig } from "../../../config/config.ts"
import { SourceError } from "../errors.ts"
import { type ItemResult, isItemId } from "../rules/source-item.ts"
import type { Claim, Claimed, Ended, Item, Listed, Source } from "../source.ts"
import type { Answer } from "./answer.ts"
import {
  type Comment,
  haveOneAuthor,
  isClaimOver,
  isOurs,
  type Known,
  listLive,
  listOwn,
  markerOf,
} from "./claims.ts"
import type { Issue, Tracker } from "./tracker.ts"

const CLAIMED =
  "A Coppice fleet works on this. To take it away from the fleet, delete this comment."
const GIVEN_UP = "This Coppice fleet does not work on this."
const SEVERAL_AUTHORS = "Comments of several authors hold it."
const NOT_READY_AGAIN =
  "So many claims on it have ended that it is not ready again until a person makes it so."
const TAKEN = "Another fleet has a claim on it."
const LATE_COMMENT = "The tracker does not show a new comment yet."
/** A tracker shows a new comment to its author within seconds; a filter for spam hides it for good. */
const LOOKS_MAX = 3
/** Another fleet removes its claim in two or three requests. */
const RIVAL_LOOKS_MAX = 6
const RIVAL_PAUSE_MS = 400
/** Comments that change between so many reads are changed on purpose. */
const READS_MAX = 5
/** Fleets that all fail on an issue would hand it to each other for ever, and pay for each try. */
const ENDED_CLAIMS_MAX = 5
/** How long an issue that is not ready any more may stay in the list. */
const LIST_AGE_MS = 10 * 60_000

/** The comments of this claim: they are deleted if it does not hold. */
type Own = { readonly own?: readonly Comment[] }
/** The comment of a claim. `looks`: how many reads did not show it. */
type Posted = Pick<Comment, "id" | "author"> & { looks: number }
type Comments = Exclude<Answer<readonly Comment[]>, { readonly kind: "gone" }>
type Seen =
  | { readonly kind: "free" }
  /** `isAlone`: no other claim is in sight. */
  | ({ readonly kind: "ours"; readonly issue: Issue; readonly isAlone: boolean } & Own)
  | ({ readonly kind: "gone" } & Own)
  /** `isTie`: ours came first, and the other one stayed. */
  | ({ readonly kind: "taken"; readonly isTie: boolean } & Own)
  | ({ readonly kind: "refused"; readonly why: string } & Own)

type Settings = Pick<SourceConfig, "authors" | "readyAgain"> & { nowMs(): number }

export function trackerSource(tracker: Tracker, settings: Settings): Source {
  const source = new TrackerSource(tracker, settings)
  return {
    list: (signal) => source.list(signal),
    claim: (claim, signal) => source.claim(claim, signal),
    read: (item, signal) => source.read(item, signal),
    end: (claim, result, signal) => source.end(claim, result, signal),
    note: (claim, note, signal) => source.note(claim, note, signal),
  }
}

class TrackerSource {
  readonly #tracker: Tracker
  readonly #settings: Settings
  /** The last list, and the issues of its first page as text. It may stand for the next one for a while. */
  #last: (WallWait & { readonly listed: Listed; readonly first: string }) | undefined
  /** The comments of our claims, until they end. */
  readonly #posted = new Map<string, Posted>()
  /** Items on which the tracker does not show our comments. */
  readonly #mute = new Set<string>()

  constructor(tracker: Tracker, settings: Settings) {
    this.#tracker = tracker
    this.#settings = settings
  }

  /**
   * The newest change comes first in the list. So if its first page has the same issues as before, none has
   * become ready since; only one that is not ready any more goes unnoticed, until all pages are read again.
   */
  async list(signal: AbortSignal): Promise<Listed> {
    const nowMs = this.#settings.nowMs()
    const last = this.#last && goesOn(this.#last, nowMs) ? this.#last : undefined
    const found: Issue[] = []
    let first = ""
    let isWhole = false
    for await (const page of this.#tracker.list(signal)) {
      if (page.kind === "gone")
        throw this.#refused("it does not exist, or the token may not read it")
      if (page.kind === "forbidden") throw this.#refused(page.why)
      if (found.length === 0) {
        first = page.data.map(({ id, standing }) => `${id} ${standing}`).join()
        if (first === last?.first) return last.listed
      }
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
    const listed = { ready: [...new Set(ready)].sort(inOrder.compare), isWhole, problems }
    this.#last = { listed, first, fromMs: nowMs, untilMs: nowMs + LIST_AGE_MS }
    return listed
  }

  /** The comment first; then everything is read again, because another fleet may have been quicker. */
  async claim(claim: Claim, signal: AbortSignal): Promise<Claimed> {
    const seen = await this.#lookUntilAlone(claim, signal)
    if (seen.kind !== "free") return await this.#settle(claim, seen, signal)
    const { item, nonce } = claim
    if (this.#posted.has(keyOf(claim))) return await this.#wait(claim, signal)
    if (this.#mute.has(item)) return { kind: "refused", why: this.#muteness(item) }
    const added = await this.#tracker.comment(item, CLAIMED, markerOf("claim", nonce), signal)
    if (added.kind === "gone") return added
    if (added.kind === "forbidden") return { kind: "refused", why: added.why }
    const { id, author } = added.data
    this.#posted.set(keyOf(claim), { id, author, looks: 0 })
    const now = await this.#lookUntilAlone(claim, signal)
    if (now.kind === "free") return await this.#wait(claim, signal)
    return await this.#settle(claim, now, signal)
  }

  /** Our comment does not appear. It is not written again; after a few looks the item is left alone. */
  async #wait(claim: Claim, signal: AbortSignal): Promise<Claimed> {
    const posted = this.#posted.get(keyOf(claim))
    if (posted && ++posted.looks < LOOKS_MAX)
      throw new SourceError("source.unreachable", LATE_COMMENT)
    const refused = await this.#giveUp(claim, [], signal)
    this.#mute.add(claim.item)
    return { kind: "refused", why: [this.#muteness(claim.item), ...refused].join(" ") }
  }

  #muteness(item: string): string {
    const name = this.#tracker.nameOf(item)
    return `${name} does not show our comment: the tracker may take it for spam. The next daemon tries again.`
  }

  /** Where another claim stays next to ours, its fleet may have seen it alone. So ours gives way. */
  async #lookUntilAlone(claim: Claim, signal: AbortSignal): Promise<Seen> {
    for (let looks = 1; ; looks++) {
      const seen = await this.#look(claim, signal)
      if (seen.kind !== "ours" || seen.isAlone) return seen
      if (looks === RIVAL_LOOKS_MAX) return { kind: "taken", isTie: true, own: seen.own ?? [] }
      await setTimeout(RIVAL_PAUSE_MS, undefined, { signal })
    }
  }

  /** How the issue stands for this claim. `free`: no claim holds; `ours`: this claim does. */
  async #look(claim: Claim, signal: AbortSignal): Promise<Seen> {
    const { item } = claim
    const issue = await this.#find(item, signal)
    if (issue.kind === "gone") return issue
    if (issue.kind === "forbidden") return { kind: "refused", why: issue.why }
    const comments = await this.#comments(item, signal)
    if (comments.kind === "forbidden") return { kind: "refused", why: comments.why }
    const own = listOwn(comments.data, this.#known(claim))
    const live = listLive(comments.data)
    const [holder] = live
    if (holder && !isOurs(holder, own)) return { kind: "taken", isTie: false, own }
    // An issue that we already show as in work is still ours.
    const { standing } = issue.data
    const isReady = standing === "ready" || (holder !== undefined && standing === "working")
    if (!isReady) return { kind: "gone", own }
    if (!(await this.#isAllowed(issue.data, signal)))
      return { kind: "refused", why: this.#refusal(issue.data), own }
    const isAlone = live.every((one) => isOurs(one, own))
    return holder ? { kind: "ours", issue: issue.data, own, isAlone } : { kind: "free" }
  }

  /** Shows a claim that holds; removes one that does not, or that cannot be shown. */
  async #settle(
    claim: Claim,
    seen: Exclude<Seen, { kind: "free" }>,
    signal: AbortSignal,
  ): Promise<Claimed> {
    const { item } = claim
    const { own = [] } = seen
    if (seen.kind === "ours") {
      const shown = await this.#tracker.show(item, "working", signal)
      if (shown.kind === "ok") return { kind: "claimed", item: itemOf(seen.issue) }
      const refused = await this.#giveUp(claim, own, signal)
      if (shown.kind === "gone") return { kind: "gone" }
      return { kind: "refused", why: [shown.why, ...refused].join(" ") }
    }
    if (own.length > 0 && seen.kind !== "taken") await this.#tracker.show(item, "dropped", signal)
    const refused = await this.#giveUp(claim, own, signal)
    if (seen.kind === "refused") return { kind: "refused", why: [seen.why, ...refused].join(" ") }
    if (refused.length > 0) return { kind: "refused", why: refused.join(" ") }
    return seen.kind === "gone"
      ? { kind: "gone" }
      : { kind: "taken", why: TAKEN, isTie: seen.isTie }
  }

  /** Removes a claim; where that is forbidden, ends it. @returns why neither could be done. */
  async #giveUp(
    claim: Claim,
    own: readonly Comment[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { item, nonce } = claim
    const posted = this.#posted.get(keyOf(claim))
    const stays = await this.#remove(claim, own, signal)
    this.#posted.delete(keyOf(claim))
    if (stays === undefined) return []
    const said = await this.#tracker.comment(item, GIVEN_UP, markerOf("end", nonce), signal)
    if (said.kind === "gone") return []
    if (said.kind === "forbidden") return [stuck(said.why)]
    return endsFor(said.data, own, posted) ? [] : [stuck(stays)]
  }

  /**
   * Removes the comments of a claim. If an earlier process wrote it, comments under several names may be
   * those of other people, and stay.
   * @returns why the claim stays.
   */
  async #remove(
    claim: Claim,
    own: readonly Comment[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const posted = this.#posted.get(keyOf(claim))
    if (!posted && !haveOneAuthor(own)) return SEVERAL_AUTHORS
    const ids = new Set([...own, ...(posted ? [posted] : [])].map(({ id }) => id))
    let stays: string | undefined
    for (const id of ids) {
      const removed = await this.#tracker.removeComment(claim.item, id, signal)
      if (removed.kind === "forbidden") stays = removed.why
    }
    if (stays === undefined) this.#posted.delete(keyOf(claim))
    return stays
  }

  #known(claim: Claim): Known {
    return { nonce: claim.nonce, author: this.#posted.get(keyOf(claim))?.author }
  }

  async read(id: string, signal: AbortSignal): Promise<Item | undefined> {
    const issue = await this.#find(id, signal)
    if (issue.kind !== "ok" || !(await this.#isAllowed(issue.data, signal))) return undefined
    return itemOf(issue.data)
  }

  /** Comments that cannot be read are no reason to keep the result from people. */
  async end(claim: Claim, { kind, text }: ItemResult, signal: AbortSignal): Promise<Ended> {
    const { item, nonce } = claim
    const mayStay = kind === "released" && this.#settings.readyAgain
    const comments = await this.#comments(item, signal)
    const isRead = comments.kind === "ok"
    const known = this.#known(claim)
    const own = isRead ? listOwn(comments.data, known) : []
    const isWorn = isRead && countEnded(comments.data, own) >= ENDED_CLAIMS_MAX
    const staysListed = mayStay && !isWorn
    const posted = this.#posted.get(keyOf(claim))
    if (isRead && isClaimOver(comments.data, known)) {
      this.#posted.delete(keyOf(claim))
      return { staysListed }
    }
    const refusals: string[] = []
    // A person who deleted the claim has taken the issue away from us: they say how it stands.
    if (!isRead || own.length > 0) {
      const left = staysListed ? "ready" : "dropped"
      const shown = await this.#tracker.show(item, kind === "done" ? "done" : left, signal)
      if (shown.kind === "forbidden") refusals.push(shown.why)
    }
    const note = mayStay && isWorn ? `${text} ${NOT_READY_AGAIN}` : text
    const said = await this.#tracker.comment(item, note, markerOf("end", nonce), signal)
    if (said.kind === "forbidden") refusals.push(said.why)
    const hasEnd = said.kind === "ok" && endsFor(said.data, own, posted)
    const isUnknown = said.kind === "forbidden" && !isRead && !posted
    const remove = () => this.#remove(claim, own, signal)
    const stays = hasEnd ? undefined : isUnknown ? said.why : await remove()
    if (stays !== undefined) refusals.push(stuck(stays))
    const mustRepeat = stays !== undefined && said.kind !== "ok"
    if (!mustRepeat) this.#posted.delete(keyOf(claim))
    return { ...problemOf(refusals), staysListed, ...(mustRepeat && { mustRepeat }) }
  }

  /** An item whose claim a person deleted is not ours any more: nothing is said there. */
  async note(
    claim: Claim,
    { key, text }: { readonly key: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const comments = await this.#comments(claim.item, signal)
    if (comments.kind === "forbidden") return comments.why
    const own = listOwn(comments.data, this.#known(claim))
    const marker = markerOf("note", `${claim.nonce}-${key}`)
    const author = own[0]?.author
    const isNote = (one: Comment) => one.author === author && one.body.includes(marker)
    if (own.length === 0 || comments.data.some(isNote)) return undefined
    const said = await this.#tracker.comment(claim.item, text, marker, signal)
    return said.kind === "forbidden" ? said.why : undefined
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

  /**
   * All comments, oldest first. A comment that is deleted between two pages can hide another one, so that
   * several pages count only if they are the same twice.
   */
  async #comments(item: string, signal: AbortSignal): Promise<Comments> {
    const name = this.#tracker.nameOf(item)
    let before: string | undefined
    for (let reads = 0; reads < READS_MAX; reads++) {
      const found: Comment[] = []
      let pages = 0
      let isWhole = false
      for await (const page of this.#tracker.comments(item, signal)) {
        if (page.kind === "forbidden") return page
        if (page.kind === "gone") return forbidden(`The comments on ${name} cannot be read.`)
        found.push(...page.data)
        isWhole = !page.hasNext
        pages++
      }
      if (!isWhole) return forbidden(`${name} has more comments than can be read.`)
      const ids = found.map(({ id }) => id).join()
      if (pages === 1 || ids === before)
        return { kind: "ok", data: found.sort(inTime), hasNext: false }
      before = ids
    }
    return forbidden(`The comments on ${name} change while they are read.`)
  }
}

const keyOf = ({ item, nonce }: Claim) => `${nonce} ${item}`

const inTime = (one: Comment, other: Comment) =>
  one.order - other.order || (one.id < other.id ? -1 : 1)

/** Whether this end ends our claim: its author wrote it. A tracker may give each comment its own author. */
const endsFor = (end: Comment, own: readonly Comment[], posted: Posted | undefined): boolean =>
  posted
    ? posted.author === end.author
    : own.length === 0 || own.some(({ author }) => author === end.author)

/** How many claims of others have ended. A claim without another comment has not. */
function countEnded(comments: readonly Comment[], own: readonly Comment[]): number {
  const live = listLive(comments)
  const isClaim = (one: Comment) => listLive([one]).length > 0
  const isEnded = (one: Comment) => isClaim(one) && !live.includes(one) && !own.includes(one)
  return comments.filter(isEnded).length
}

const stuck = (why: string) => `Its claim stays, so that no fleet can take it: ${why}`

const problemOf = (refusals: readonly string[]) =>
  refusals.length === 0
    ? {}
    : { problem: `The tracker does not show its result: ${[...new Set(refusals)].join(" ")}` }

const forbidden = (why: string) => ({ kind: "forbidden", why }) as const

/** `ENG-2` comes before `ENG-10`. */
const inOrder = new Intl.Collator("en", { numeric: true })

function itemOf({ id, title, text, address, author }: Issue): Item {
  return { id, title, text, address, author }
}
