/** Reads a list of a tracker page by page. */
import type { Answer } from "./answer.ts"

/** Issues of a list, and comments on one: more than a person reads. */
const ITEMS_MAX = 1_000
/** A server may give fewer on a page than it is asked for. */
const NUMBERED_PAGES_MAX = 100
const CHAINED_PAGES_MAX = 10

/**
 * The pages of a list that are numbered from 1. An item that is deleted between two pages moves the others
 * forward, so that one of them may be on no page.
 */
export async function* numbered<Item>(
  ask: (page: number) => Promise<Answer<readonly Item[]>>,
): AsyncGenerator<Answer<readonly Item[]>> {
  let count = 0
  for (let page = 1; page <= NUMBERED_PAGES_MAX && count < ITEMS_MAX; page++) {
    const answer = await ask(page)
    yield answer
    if (answer.kind !== "ok" || !answer.hasNext) return
    count += answer.data.length
  }
}

/** One page of a list, and what names the next one. */
export type Chained<Item> = {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

/** The pages of a list of which each names the next one. */
export async function* chained<Item>(
  ask: (after: string | undefined) => Promise<Answer<Chained<Item>>>,
): AsyncGenerator<Answer<readonly Item[]>> {
  let after: string | undefined
  for (let page = 1; page <= CHAINED_PAGES_MAX; page++) {
    const answer = await ask(after)
    if (answer.kind !== "ok") return yield answer
    const { items, next } = answer.data
    yield { ...answer, data: items, hasNext: next !== undefined }
    if (next === undefined) return
    after = next
  }
}
