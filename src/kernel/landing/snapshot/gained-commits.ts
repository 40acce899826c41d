/** Lists what a branch got from elsewhere: the commits that it must hold the changes of. */
import type { Oid } from "../../../base/ids.ts"
import { isAncestor, readMergeBase } from "../../git/ask/merge-base.ts"
import { listMerges } from "../../git/ask/merges.ts"
import { readNewestTip } from "../../git/ask/newest-tip.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import type { Rows, Step } from "../action.ts"
import { listLandedOf } from "../rows/landed.ts"

/** `to` descends from `from`, and the branch contains both. */
export type Gain = {
  readonly from: Oid
  readonly to: Oid
  /** The merge commit that has `to` as a parent; null: `to` is on the target. */
  readonly merge: Oid | null
}

/** The gains of the target since the recorded base, then of both sides of each merge commit of the work. */
export async function listGains(
  step: Step<Rows>,
  repo: TaskRepo & { readonly base: Oid },
  head: Oid,
): Promise<Gain[]> {
  const { path, base } = repo
  const tip = await readNewestTip(repo)
  if (!tip) return []
  const [to, merges] = await Promise.all([
    readMergeBase(path, head, tip),
    listMerges(path, head, { except: [base, tip], branch: repo.branch ?? "" }),
  ])
  const isNewer = to !== undefined && to !== base && (await isAncestor(path, base, to))
  const gains = isNewer ? await withoutOwn(step, repo, to) : []
  for (const { oid, parents } of merges)
    for (const [n, parent] of parents.entries()) {
      const from = await readMergeBase(path, parent, parents[n === 0 ? 1 : 0]!)
      if (from && from !== parent) gains.push({ from, to: parent, merge: oid })
    }
  return gains
}

/** A task that lands more than once from one base may change what it landed itself. */
async function withoutOwn(
  { context, task }: Step<Rows>,
  { name, path, base }: TaskRepo & { readonly base: Oid },
  to: Oid,
): Promise<Gain[]> {
  const gains: Gain[] = []
  let from = base
  for (const own of listLandedOf(context.db, { task: task.id, name })) {
    if (!(await isAncestor(path, from, own.base))) continue
    if (!(await isAncestor(path, own.candidate, to))) continue
    gains.push({ from, to: own.base, merge: null })
    from = own.candidate
  }
  gains.push({ from, to, merge: null })
  return gains.filter((gain) => gain.from !== gain.to)
}
