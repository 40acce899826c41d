/** Points the next free rescue ref of a task at a commit. */
import type { Oid, RefName } from "../../core/ids.ts"
import { listRefs } from "../../git/ask/refs.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { RefBusyError } from "../errors.ts"
import { type Owner, rescuePrefix } from "../task-refs.ts"

export type CommitToRescue = {
  readonly owner: Owner
  readonly commit: Oid
  /** It is our own commit of uncommitted files, so its message and date do not matter. */
  readonly isState: boolean
  readonly reason: string
}
export type RescueRef = { readonly ref: RefName; readonly commit: Oid }

/** Others may take a number between our read and our write. */
const TRIES_MAX = 20

/**
 * @returns the ref; an earlier one of the task if it holds the same.
 * @throws {RefBusyError} while git holds the lock of the next one.
 */
export async function addRescueRef(
  cwd: string,
  { owner, commit, isState, reason }: CommitToRescue,
): Promise<RescueRef> {
  const prefix = await rescuePrefix(cwd, owner)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const earlier = await listRefs(cwd, prefix)
    for (const { ref, oid } of earlier.toReversed())
      if (oid === commit || (isState && (await holdsTheSame(cwd, oid, commit))))
        return { ref, commit: oid }
    const numbers = earlier.map(({ ref }) => Number(ref.slice(prefix.length + 1)))
    const ref = `${prefix}/${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}` as RefName
    const added = { ref, from: null, to: commit, reason: `before ${reason}` }
    if ((await updateRef(cwd, added)).kind === "moved") return { ref, commit }
  }
  throw new RefBusyError(`${prefix}/1` as RefName)
}

/** Whether the files and the index of a state are in the other commit too. */
async function holdsTheSame(cwd: string, one: Oid, other: Oid): Promise<boolean> {
  if (!(await haveSameTree(cwd, one, other))) return false
  if ((await readCommit(cwd, `${one}^1`)) !== (await readCommit(cwd, `${other}^1`))) return false
  const [index, otherIndex] = [
    await readCommit(cwd, `${one}^2`),
    await readCommit(cwd, `${other}^2`),
  ]
  if (!index || !otherIndex) return index === otherIndex
  return haveSameTree(cwd, index, otherIndex)
}

async function haveSameTree(cwd: string, one: Oid, other: Oid): Promise<boolean> {
  const [tree, otherTree] = await readTrees(cwd, [one, other])
  return tree === otherTree
}
