/**
 * Saves what an agent left in a stash.
 *
 * All worktrees of a repository share one list of stashes, so a stash outlives its worktree and branch. The
 * message of an entry names the branch on which it was made. The entries stay in the list: only a rescue is added.
 */
import type { RefName } from "../../../base/ids.ts"
import { readReflog } from "../../git/ask/reflog.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { type Rescue, type RescueRequest, rescueCommit } from "./rescue.ts"

const STASHES = "refs/stash" as RefName

/** @returns a rescue for each stash that was made on this branch, newest first. */
export async function rescueStashes(
  repo: string,
  branch: string,
  request: Pick<RescueRequest, "owner" | "safeCommits" | "reason">,
): Promise<Rescue[]> {
  if (!(await readCommit(repo, STASHES))) return []
  const rescued: Rescue[] = []
  for (const { oid, reason } of await readReflog(repo, STASHES)) {
    if (!isOf(branch, reason)) continue
    const rescue = await rescueCommit(repo, oid, request)
    if (rescue) rescued.push(rescue)
  }
  return rescued
}

/** @see https://git-scm.com/docs/git-stash: `WIP on <branch>: …`, or `On <branch>: <message>`. */
const isOf = (branch: string, message: string): boolean =>
  ["WIP on", "On"].some((on) => message.startsWith(`${on} ${branch}: `))

/** One sentence for a person. */
export const stashNotice = (rescued: readonly Rescue[]): string =>
  `Its agent left work in \`git stash\`, which did not land: ${rescued.map(({ ref }) => ref).join(", ")}; \`coppice recover\` makes a branch of it.`
