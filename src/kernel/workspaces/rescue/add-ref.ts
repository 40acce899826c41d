/** Points the next free rescue ref of a task at a commit, and finds the rescue that holds given files. */
import type { GitPath, Oid, RefName } from "../../../base/ids.ts"
import { listRefs } from "../../git/ask/list-refs.ts"
import { listEntries } from "../../git/ask/ls-tree.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { RefBusyError } from "../errors.ts"
import { type Owner, rescuePrefix } from "../task-refs.ts"

export type CommitToRescue = {
  readonly owner: Owner
  readonly commit: Oid
  /** The commit is our own, of uncommitted files, so its message and date do not matter. */
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

/** A set-up that changes files does the same for each task, so one of the latest rescues has them. */
const HOLDERS_MAX = 10

/** A rescue of any task of this home that has the same content at all of these paths. */
export async function findHolder(
  cwd: string,
  {
    owner,
    commit,
    paths,
  }: Pick<CommitToRescue, "owner" | "commit"> & { paths: readonly GitPath[] },
): Promise<RescueRef | undefined> {
  const home = (await rescuePrefix(cwd, owner)).slice(0, -`${owner.task}`.length)
  const refs = (await listRefs(cwd, home)).filter(({ ref }) =>
    /^\d+\/\d+$/.test(ref.slice(home.length)),
  )
  if (refs.length === 0) return undefined
  const wanted = await listEntries(cwd, commit, paths)
  if (wanted.length < paths.length) return undefined // a removal: only a rescue of its own shows it
  const byNumber = new Intl.Collator("en", { numeric: true })
  const latest = refs.toSorted((a, b) => byNumber.compare(a.ref, b.ref)).slice(-HOLDERS_MAX)
  for (const { ref, oid } of latest) {
    const found = await listEntries(cwd, oid, paths)
    if (found.join("\0") === wanted.join("\0")) return { ref, commit: oid }
  }
  return undefined
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
