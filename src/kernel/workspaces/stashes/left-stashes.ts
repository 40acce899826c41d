/**
 * Saves what an agent left in a stash.
 *
 * All worktrees of a repository share one list of stashes, so a stash outlives its worktree and branch. The
 * entries stay in the list: only a rescue is added.
 */
import { listStashes } from "../../git/ask/stashes.ts"
import { type Rescue, type RescueRequest, rescueCommit } from "../rescue/rescue.ts"
import { listMadeAt, type MadeAt } from "./own-stashes.ts"

/** @returns a rescue for each stash that was made on this branch or in this place, newest first. */
export async function rescueStashes(
  repo: string,
  made: MadeAt,
  request: Pick<RescueRequest, "owner" | "safeCommits" | "reason">,
): Promise<Rescue[]> {
  const rescued: Rescue[] = []
  for (const { oid } of await listMadeAt(repo, await listStashes(repo), made)) {
    const rescue = await rescueCommit(repo, oid, request)
    if (rescue) rescued.push(rescue)
  }
  return rescued
}

/** One sentence for a person. */
export const stashNotice = (rescued: readonly Rescue[]): string =>
  `Its agent left work in \`git stash\`, which did not land: ${rescued.map(({ ref }) => ref).join(", ")}; \`coppice recover\` makes a branch of it.`
