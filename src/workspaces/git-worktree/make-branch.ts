/** Makes a task's branch: without starting git, where nothing about it is unusual. */
import { writeNewBranch } from "../../git/new-branch.ts"
import type { Repository } from "../../git/repository.ts"
import type { Settings as GitSettings } from "../../git/settings.ts"
import { type RefMove, type RefMoved, updateRef } from "../../git/update-ref.ts"

/** @throws {GitError} when it cannot be made at all, e.g. beside one that is named like its folder. */
export async function makeBranch(
  { root, commonDir }: Repository,
  branch: Omit<RefMove, "from">,
  { committer, isPlainStore }: GitSettings,
): Promise<RefMoved> {
  if (isPlainStore && writeNewBranch(commonDir, { ...branch, committer })) return { kind: "moved" }
  return await updateRef(root, { ...branch, from: null })
}
