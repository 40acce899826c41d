/** Finds what became of a target that is gone: it was renamed, or another branch stands in its place. */
import { branchOf, type RefName } from "../../../base/ids.ts"
import { listRefs } from "../../git/ask/list-refs.ts"
import { findRenamed } from "../../git/ask/reflog.ts"
import type { Db } from "../../store/open.ts"
import { listBranches } from "../../tasks/rows/task-repos/list.ts"
import type { LandingRepo } from "../rows/row.ts"
import { listSeenTargets } from "../rows/seen-targets.ts"

/** `successor`: the branch that is probably meant now. */
export type GoneTarget = { readonly reason: string; readonly successor: string | undefined }

export async function describeGone(
  db: Db,
  { path, target }: Pick<LandingRepo, "path" | "target">,
): Promise<GoneTarget> {
  const gone = `the target ${branchOf(target)} no longer exists`
  const renamed = await findRenamed(path, target)
  if (renamed) {
    const successor = branchOf(renamed)
    return { reason: `${gone}: it was renamed to ${successor}`, successor }
  }
  const [twin, other] = await listTwins(db, { path, target })
  if (!twin || other) return { reason: gone, successor: undefined }
  return { reason: `${gone}; ${twin} stands at the same commit`, successor: twin }
}

/** The branches of no task where the target was last seen. */
async function listTwins(
  db: Db,
  { path, target }: { readonly path: string; readonly target: RefName },
): Promise<string[]> {
  const seen = listSeenTargets(db).find((one) => one.path === path && one.target === target)
  const last = seen?.tip ?? seen?.moved?.from
  const ofTasks = new Set(listBranches(db, path).map(({ branch }) => branch))
  const refs = (await listRefs(path, "refs/heads/")).filter(({ oid }) => oid === last)
  return refs.map(({ ref }) => branchOf(ref)).filter((branch) => !ofTasks.has(branch))
}
