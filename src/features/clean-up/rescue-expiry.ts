/** Computes when each rescue of this home in a repository expires. */
import type { Oid } from "../../base/ids.ts"
import { readDiskUsage } from "../../kernel/git/ask/object-sizes.ts"
import { listRescueRefs, type RescueRefFound } from "../../kernel/workspaces/rescue/list-refs.ts"
import { isFolderOf } from "../../kernel/workspaces/task-refs.ts"
import type { MaintenanceContext } from "./clean-up-item.ts"
import { noteRescues } from "./rows.ts"
import { computeExpiry, type Expiry, inOrder } from "./rules/rescue-expiry.ts"

export type ExpiryContext = Pick<MaintenanceContext, "db" | "world" | "config" | "name">

export type ExpiringRescue = Pick<RescueRefFound, "ref" | "commit" | "task"> & Expiry

/** The first to go first. */
export async function listExpiring(
  { db, world, config, name }: ExpiryContext,
  repo: string,
): Promise<ExpiringRescue[]> {
  const all = await listRescueRefs(repo)
  const own: RescueRefFound[] = []
  for (const one of all) if (await isFolderOf(repo, name, one.folder)) own.push(one)
  if (own.length === 0) return []
  const seen = noteRescues(db, { repo, rescues: own }, world.nowMs())
  // Without git's log we only have the commit's own date, which is not when it was saved.
  const dated = own
    .map((one) => ({ ...one, atMs: one.log?.atMs ?? seen.get(one.ref) ?? world.nowMs() }))
    .sort((a, b) => inOrder(a, b) || Number(a.n) - Number(b.n))
  const { rescue: bounds } = config().maintenance
  const sizes = await measure(repo, dated, bounds.bytesMax)
  const aged = dated.map((one) => ({ ...one, bytes: sizes.get(one.ref) ?? null }))
  const expiries = computeExpiry(aged, bounds)
  return dated.flatMap(({ ref, commit, task }) => {
    const expiry = expiries.get(ref)
    return expiry ? [{ ref, commit, task, ...expiry }] : []
  })
}

/** The bytes that each adds to those that go later; empty if all of them fit. */
async function measure(
  repo: string,
  firstToGo: readonly { readonly ref: string; readonly commit: Oid }[],
  bytesMax: number,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  const commits = firstToGo.map(({ commit }) => commit)
  if ((await readDiskUsage(repo, commits)) <= bytesMax) return sizes
  const later: Oid[] = []
  for (const { ref, commit } of firstToGo.toReversed()) {
    sizes.set(ref, await readDiskUsage(repo, [commit], later))
    later.push(commit)
  }
  return sizes
}
