/**
 * Packs what our gits leave loose, which collect nothing, where nobody else's git does either; sweeps
 * what killed programs have left in the temporary folder.
 */
import { AppError } from "../../core/errors.ts"
import { packLooseObjects } from "../../git/objects/pack-loose.ts"
import { findRepository } from "../../git/repository/repository.ts"
import { sweepScratch } from "../../process/scratch.ts"
import { withRepoLock } from "../../workspaces/locks/repo-lock.ts"
import type { MaintenanceContext } from "./context.ts"

export async function keepHouse({
  listRepositories,
}: Pick<MaintenanceContext, "listRepositories">): Promise<void> {
  await sweepScratch()
  for (const repo of await listRepositories()) {
    try {
      const found = await findRepository(repo)
      if (!found) continue
      const { commonDir } = found
      await withRepoLock(commonDir, () => packLooseObjects(repo, commonDir))
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      // a repository that cannot be packed now is packed another time
    }
  }
}
