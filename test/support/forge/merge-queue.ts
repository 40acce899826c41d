/** The merge queue of a double's target. A test acts as its checks, and as the people who clear it. */
import { assert } from "../../../src/base/assert.ts"
import type { MergeMethod, PullState, Pulls } from "./pulls.ts"

type Removal = {
  readonly id: number
  /** Null: a person took it out. */
  readonly reason: string | null
}

type Entry = { readonly head: string; readonly commit: string }

export class MergeQueue {
  readonly method: MergeMethod
  readonly #pulls: Pulls
  readonly #entries = new Map<PullState, Entry>()
  readonly #removals = new Map<PullState, Removal>()
  /** How often a place was given. */
  given = 0
  #last = 0

  constructor(pulls: Pulls, method: MergeMethod) {
    this.#pulls = pulls
    this.method = method
  }

  /** The commit that it tests for a pull request; undefined: that one is not in the queue. */
  commitOf(pull: PullState): string | undefined {
    const entry = this.#entries.get(pull)
    // A push takes it out.
    if (entry && entry.head !== this.#pulls.headOf(pull)) this.remove(pull, "invalid_merge_commit")
    return this.#entries.get(pull)?.commit
  }

  removalOf(pull: PullState): Removal | undefined {
    return this.#removals.get(pull)
  }

  /** @returns why it is refused. */
  add(pull: PullState, head: unknown): string | undefined {
    if (pull.state !== "open") return "The pull request is closed"
    if (head !== this.#pulls.headOf(pull)) return "The head of the pull request has changed"
    if (this.commitOf(pull)) return "The pull request is already in the merge queue"
    this.#entries.set(pull, { head: String(head), commit: this.#pulls.candidate(pull) })
    this.given++
    return undefined
  }

  /** The checks of a pull request fail, or a person takes it out. */
  remove(pull: PullState, reason: string | null): Removal {
    assert(this.#entries.delete(pull), "only a pull request in the queue leaves it")
    const removal = { id: ++this.#last, reason }
    this.#removals.set(pull, removal)
    return removal
  }

  /** The checks of a pull request pass: it is merged. */
  pass(pull: PullState): void {
    assert(this.commitOf(pull), "only a pull request in the queue is merged by it")
    this.remove(pull, "merge")
    this.#pulls.merge(pull, this.method)
  }
}
