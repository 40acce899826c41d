/** Whether a target or the work for it has moved since a waiting landing's last round. */
import { existsSync } from "node:fs"
import { branchRef } from "../../core/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import type { Landing, LandingRepo } from "../../store/landings/row.ts"
import type { Task } from "../../store/tasks/row.ts"
import { isDirty } from "../gate/restore.ts"

export async function hasMoved(
  { decided }: Landing,
  task: Task,
  landingRepo: LandingRepo,
): Promise<boolean> {
  const { path, target, base, head, candidate, name } = landingRepo
  if ((await readCommit(path, target)) !== base) return true
  if (decided) return false // it is rolled forward from its old snapshot
  const repo = task.repos.find((one) => one.name === name)
  const worktree = repo?.worktree && existsSync(repo.worktree) ? repo.worktree : undefined
  const isOurs = task.strategy !== null
  if (worktree && isOurs && !(await isWorktreeOf(worktree, path))) return true
  if (worktree && isOurs && (await isDirty(worktree, repo?.placed ?? []))) return true
  const branch = repo?.branch
  const tip = branch ? await readCommit(path, branchRef(branch)) : undefined
  const stands = worktree ? (await readHead(worktree)).commit : tip
  const seen = [tip, stands].filter((commit) => commit !== undefined)
  return seen.some((commit) => commit !== head && commit !== candidate)
}
