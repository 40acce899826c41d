/**
 * Remembers stashes for a task. One keep ref has them as parents of a commit, so they outlive the
 * list, and a crash.
 */
import type { Oid } from "../../../base/ids.ts"
import { findCommits } from "../../git/ask/cat-file.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { commitTree } from "../../git/change/commit-objects.ts"
import { findKept, forgetKept, type Kept, keep } from "../keep-refs.ts"
import { type Owner, whose } from "../task-refs.ts"

/** `stashes`: those of others, as last seen. `popped`: those of them that the agent took. */
type Remembered = Extract<Kept, "stashes" | "popped">

/** People use the last few, and git reads each as a parent of one commit. */
const STASHES_MAX = 100

export async function findRemembered(
  repo: string,
  owner: Owner,
  kept: Remembered,
): Promise<readonly Oid[]> {
  const commit = await findKept(repo, owner, kept)
  if (!commit) return []
  return (await findCommits(repo, [commit]))[0]?.parents ?? []
}

/** @param oids newest first. @throws {import("../errors.ts").RefBusyError} */
export async function remember(
  repo: string,
  owner: Owner,
  kept: Remembered,
  oids: readonly Oid[],
): Promise<void> {
  const parents = [...new Set(oids)].slice(0, STASHES_MAX)
  const before = await findRemembered(repo, owner, kept)
  if (before.join() === parents.join()) return
  if (parents.length === 0) return await forgetKept(repo, owner, [kept])
  const [tree] = (await readTrees(repo, parents.slice(0, 1))) as [Oid]
  const message = `Stashes of others, while ${whose(owner)} works`
  await keep(repo, owner, { kept, commit: await commitTree(repo, { tree, parents, message }) })
}
