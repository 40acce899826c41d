/** Has every pool of a home tended: those that are configured, and those that were. */
import { existsSync } from "node:fs"
import { listPool } from "../../store/pool/list.ts"
import type { PoolKey } from "../../store/pool/row.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import type { Pool, PoolPlace } from "./pool.ts"
import { tendPlace } from "./tend.ts"

export async function tendPools(context: WorktreeContext, pool: Pool): Promise<void> {
  const places = await pool.listPlaces()
  const all = [...places, ...listFormer(pool, places)]
  // One that is gone may be back: a disk that is not mounted.
  for (const place of all.filter(({ repo }) => existsSync(repo)))
    pool.keeper.ask(place.repo, place.folder, () => tendPlace(context, pool, place))
}

/** Pools with entries that nobody wants any more. */
function listFormer({ db }: Pool, places: readonly PoolPlace[]): PoolPlace[] {
  const isWanted = ({ repo, folder }: PoolKey) =>
    places.some((place) => place.repo === repo && place.folder === folder)
  const former = listPool(db).filter((entry) => !isWanted(entry))
  const keys = new Map(former.map(({ repo, folder }) => [`${repo}\0${folder}`, { repo, folder }]))
  const nothing = { target: undefined, size: 0, ahead: 0, keep: undefined, setup: undefined }
  return [...keys.values()].map((key) => ({ ...key, ...nothing }))
}
