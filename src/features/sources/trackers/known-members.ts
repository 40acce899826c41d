/** Remembers for a while which users may write to a project, so that a poll does not ask again. */

import { goesOn, type WallWait } from "../../../base/wall-wait.ts"

/** A person who joins a project, or leaves it, is noticed after this time. */
const KEPT_MS = 10 * 60_000
/** More authors than a list of issues has. */
const KEPT_MAX = 1_000

export class KnownMembers {
  readonly #nowMs: () => number
  readonly #known = new Map<string, WallWait & { readonly isMember: boolean }>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @param user empty: a deleted one, who is no member. */
  async has(user: string, ask: () => Promise<boolean>): Promise<boolean> {
    if (user === "") return false
    const nowMs = this.#nowMs()
    const known = this.#known.get(user)
    if (known && goesOn(known, nowMs)) return known.isMember
    const isMember = await ask()
    if (this.#known.size >= KEPT_MAX) this.#known.clear()
    this.#known.set(user, { isMember, fromMs: nowMs, untilMs: nowMs + KEPT_MS })
    return isMember
  }
}
