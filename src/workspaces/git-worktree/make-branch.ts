/** Makes a task's branch: without starting git, where nothing about it is unusual. */
import { writeNewBranch } from "../../git/refs/new-branch.ts"
import { type RefMove, type RefMoved, updateRef } from "../../git/refs/update-ref.ts"
import type { Repository } from "../../git/repository/repository.ts"
import type { Settings as GitSettings } from "../../git/repository/settings.ts"

/** @throws {GitError} when it cannot be made at all, e.g. beside one that is named like its folder. */
export async function makeBranch(
  { root, commonDir }: Repository,
  branch: Omit<RefMove, "from">,
  { committer, isPlainStore }: GitSettings,
): Promise<RefMoved> {
  if (isPlainStore && writeNewBranch(commonDir, { ...branch, committer })) return { kind: "moved" }
  return await updateRef(root, { ...branch, from: null })
}
