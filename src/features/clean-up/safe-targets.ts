/** The targets of a repository: work is safe when one of them contains it. */
import { branchRef, type Oid } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { pathOfRepo } from "../../kernel/home.ts"
import { findTarget } from "../../kernel/tasks/actions/target.ts"
import type { Judging } from "./clean-up-item.ts"

export type Targets = { readonly branches: readonly string[]; readonly commits: readonly Oid[] }

/** Target branches of the repository: the configured one, and those of its tasks. */
export async function listTargets(
  { config, home }: Pick<Judging, "config" | "home">,
  repo: string,
  ofTasks: readonly string[],
): Promise<Targets> {
  const branches = new Set(ofTasks)
  for (const one of config().repos) {
    if (pathOfRepo(home, one) !== repo) continue
    const target = await findTarget(home, one).catch((error: unknown) => {
      if (!(error instanceof DaemonError)) throw error // there is no target, so nothing has landed
    })
    if (target) branches.add(target.target)
  }
  const commits = await Promise.all([...branches].map((name) => readCommit(repo, branchRef(name))))
  const known = commits.filter((commit) => commit !== undefined)
  return { branches: [...branches], commits: [...new Set(known)] }
}
