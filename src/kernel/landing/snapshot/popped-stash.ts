/**
 * Finds work that has the changes of a stash of others.
 *
 * One file of a stash that the agent has popped is enough. Any other stash must be there as a whole,
 * as after `git stash apply`: an agent may find a small change without it.
 */
import { branchRef, type GitPath, type Oid } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { readMergeBase } from "../../git/ask/merge-base.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { findStashes, type Stash } from "../../git/ask/stashes.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { findRemembered } from "../../workspaces/stashes/remembered-stashes.ts"
import { listHeld, listStashFiles } from "../../workspaces/stashes/work-with-stash.ts"
import { ownerOf, type Refs, type Step, taskRepo } from "../action.ts"
import type { PoppedStash, StashFacts } from "../prompts/popped-stash.ts"

/** Git takes some 10 ms for each; people pop one of the newest. */
const COMPARED_MAX = 20

/** @returns undefined if `head` has none, or is not the work of an agent. */
export async function findPoppedStash(
  step: Step<Refs>,
  { name }: { readonly name: string },
  head: Oid,
): Promise<StashFacts | undefined> {
  const { path, target } = taskRepo(step, { name })
  if (step.task.agent === null || step.landing.undoes !== null) return undefined
  const owner = ownerOf(step)
  const own = await findRemembered(path, owner, "popped")
  const listed = (await findRemembered(path, owner, "stashes")).filter((oid) => !own.includes(oid))
  const stashes = await findStashes(path, [...own, ...listed.slice(0, COMPARED_MAX)])
  if (stashes.length === 0) return undefined
  const tip = await readCommit(path, branchRef(target))
  const base = tip && (await readMergeBase(path, head, tip))
  if (!tip || !base) return undefined
  const changed = (await listChanges(path, base, head)).map((change) => change.path)
  const popped: PoppedStash[] = []
  for (const stash of stashes) {
    const held = await findHeld(path, stash, {
      isPopped: own.includes(stash.oid),
      changed: new Set(changed),
      work: { work: head, before: [base, tip] },
    })
    if (held) popped.push(held)
  }
  return popped.length === 0 ? undefined : { popped }
}

type Asked = {
  readonly isPopped: boolean
  /** Paths that the work has changed. */
  readonly changed: ReadonlySet<GitPath>
  readonly work: Parameters<typeof listHeld>[2]
}

async function findHeld(
  path: string,
  stash: Stash,
  { isPopped, changed, work }: Asked,
): Promise<PoppedStash | undefined> {
  const { tracked, untracked } = await listStashFiles(path, stash)
  const all = [...tracked, ...untracked]
  const isPossible = isPopped
    ? all.some((one) => changed.has(one))
    : all.every((one) => changed.has(one))
  if (all.length === 0 || !isPossible) return undefined
  const held = await listHeld(path, stash, work)
  if (held.length === 0 || (!isPopped && held.length < all.length)) return undefined
  const { oid, message } = stash
  const isHeld = (one: GitPath) => held.includes(one)
  return {
    oid,
    message,
    tracked: tracked.filter(isHeld).map(displayPath),
    untracked: untracked.filter(isHeld).map(displayPath),
  }
}
