/** The removal of the items of a clean-up list, one by one, with the result of each. */

import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { CleanUpItem } from "./clean-up-item.ts"
import type { CleanUpList } from "./list-items.ts"
import { attemptItem } from "./remove-worktree.ts"
import type { GcDocument, GcItem } from "./wire.ts"

type Outcome = Pick<GcItem, "outcome" | "note" | "rescued">

const NOTHING: Outcome = { outcome: null, note: null, rescued: [] }

export type CarryOut = {
  readonly signal: AbortSignal
  /** Items that do not fit into this time are left to the next run. */
  readonly msMax: number
}

/** The clean-up list as a document. @param carryOut undefined: a preview. */
export async function gcDocument(
  db: Db,
  list: CleanUpList,
  carryOut: CarryOut | undefined,
): Promise<Omit<GcDocument, "records">> {
  const endMs = performance.now() + (carryOut?.msMax ?? 0)
  const repos: GcDocument["repos"] = []
  for (const { path, items } of list.repos) {
    const done: GcItem[] = []
    for (const item of items) done.push(itemDocument(db, item, await act(item, carryOut, endMs)))
    repos.push({ path, items: done })
  }
  return { dryRun: carryOut === undefined, repos, notices: [...list.notices] }
}

async function act(
  { action, act }: CleanUpItem,
  carryOut: CarryOut | undefined,
  endMs: number,
): Promise<Outcome> {
  if (!carryOut || action === "keep" || !act) return NOTHING
  if (carryOut.signal.aborted || performance.now() > endMs) return { ...NOTHING, outcome: "later" }
  const { outcome, note, rescued } = await attemptItem(() => act(carryOut.signal))
  return { outcome, note, rescued: [...rescued] }
}

type Came = {
  readonly outcome: GcItem["outcome"]
  readonly note: string | null
  readonly rescued: readonly string[]
}

/** The task's title and state are current; null if it is no longer on record. */
export function itemDocument(
  db: Db,
  { kind, name, task: id, action, why }: CleanUpItem,
  { outcome, note, rescued }: Came,
): GcItem {
  const { title = null, state = null } = findTask(db, id) ?? {}
  const task = { task: id === null ? null : String(id), title, state }
  return { kind, name, ...task, action, why, outcome, note, rescued: [...rescued] }
}
