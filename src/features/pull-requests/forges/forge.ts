/**
 * A forge: it hosts a repository, and proposes branches as pull requests.
 *
 * Each method is one question or one effect. Its caller asks again after a crash, so an effect that
 * was carried out already must be found rather than repeated. `contract.ts` has the tests that each
 * forge must pass.
 */

import type { Oid, RefName } from "../../../base/ids.ts"
import type { MergeMethod } from "../../../config/config.ts"
import type { Check, Pull, PullReview, PullReviewComment, Queue } from "../rules.ts"

export type PullToOpen = {
  /** Branch names: the head, and the target. */
  readonly branch: string
  readonly target: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
}

export type Decoration = {
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
}

export type Merging = { readonly method: MergeMethod; readonly head: Oid }

/** @throws {ForgeError} from every method. */
export type Forge = {
  /** For people: `acme/demo on github.com`. */
  readonly place: string
  /** The open pull request of a branch into a target. */
  findOpen(pull: Pick<PullToOpen, "branch" | "target">): Promise<Pull | undefined>
  /** Opens one. If another open one has the branch, returns that. */
  open(pull: PullToOpen): Promise<Pull>
  /** Adds labels and asks for reviews. Safe to repeat. */
  decorate(number: number, decoration: Decoration): Promise<void>
  read(number: number): Promise<Pull>
  /** The ref of the repository that has the head of a pull request, a fork's too. */
  headRef(number: number): RefName
  /** Makes it lead into another branch. Safe to repeat. */
  retarget(number: number, target: string): Promise<void>
  listPullReviews(number: number): Promise<readonly PullReview[]>
  listComments(number: number, review: number): Promise<readonly PullReviewComment[]>
  listChecks(commit: Oid): Promise<readonly Check[]>
  /**
   * Asks for the merge of exactly this head. @returns why the forge refuses it; undefined if it is
   * merged.
   */
  merge(number: number, merging: Merging): Promise<string | undefined>
  /** Undefined: its target has no merge queue of the forge. */
  findQueue(number: number): Promise<Queue | undefined>
  /** Asks for a place of exactly this head in that queue. @returns why the forge refuses it. */
  enqueue(number: number, merging: Merging): Promise<string | undefined>
}
