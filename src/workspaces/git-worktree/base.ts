/** Finds the commit that new work starts from. */
import { branchOf, branchRef, type Oid, type RefName } from "../../core/ids.ts"
import { shellWord } from "../../core/shell-word.ts"
import { readAlias } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { findRenamed } from "../../git/ask/reflog.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { WorkspaceError } from "../errors.ts"

export type Base = { readonly commit: Oid; readonly notices: readonly string[] }

/**
 * The local target, or its upstream if that is strictly ahead; local if they have diverged.
 *
 * @param upstreamName the branch that the target tracks; it need not exist.
 * @throws {WorkspaceError} `workspace.no_commits` or `workspace.target_missing` (user).
 */
export async function readBase(
  repo: string,
  target: string,
  upstreamName: RefName | undefined,
): Promise<Base> {
  const local = await readCommit(repo, branchRef(target))
  if (!local) throw await missing(repo, target)
  const alias = await readAlias(repo, branchRef(target))
  if (alias) throw standsFor(target, branchOf(alias))
  const upstream = upstreamName && (await readCommit(repo, upstreamName))
  if (!upstream || upstream === local || (await isAncestor(repo, upstream, local)))
    return { commit: local, notices: [] }
  if (await isAncestor(repo, local, upstream)) return { commit: upstream, notices: [] }
  return {
    commit: local,
    notices: [
      `${target} and ${upstreamName} have diverged; the work starts from the local ${target}.`,
    ],
  }
}

/** Moving one of the two names would separate it from the other. */
function standsFor(target: string, branch: string): WorkspaceError {
  const message = `The branch ${target} is a symbolic ref to ${branch}.`
  return new WorkspaceError("workspace.target_missing", message, [
    `Set \`repos.<name>.target\` in coppice.yml to ${branch}.`,
  ])
}

async function missing(repo: string, target: string): Promise<WorkspaceError> {
  if (!(await readCommit(repo, "HEAD")))
    return new WorkspaceError("workspace.no_commits", `${repo} has no commit yet to start from.`, [
      'Make a first one, e.g. `git commit --allow-empty -m "Start"`.',
    ])
  const renamed = await findRenamed(repo, branchRef(target))
  const back = renamed && `git branch -m ${shellWord(branchOf(renamed))} ${shellWord(target)}`
  const was = renamed ? ` It was renamed to ${branchOf(renamed)}.` : ""
  return new WorkspaceError("workspace.target_missing", `${repo} has no branch ${target}.${was}`, [
    "Set `repos.<name>.target` in coppice.yml to the branch that work should land on.",
    `Or make the branch: \`${back ?? `git branch ${shellWord(target)} <commit>`}\`.`,
  ])
}
