/**
 * Saves an agent's abandoned work: commits that it amended, reset or rebased away, which only git's
 * logs of worktree and branch still hold, and what an unfinished operation has put aside. Removing
 * worktree and branch would lose them.
 *
 * All of it is one rescue: a commit that has them as parents, the youngest first. A commit is left
 * out if its change is kept elsewhere, as after a rebase without conflicts. If the work is one line
 * of commits, as usual, no git runs.
 *
 * @see docs/adr/0046-what-was-left-behind-is-one-rescue.md
 */
import type { Oid, RefName } from "../../../base/ids.ts"
import { findCommits } from "../../git/ask/cat-file.ts"
import { listLogged, listOfOperation } from "../../git/ask/logged-commits.ts"
import { listLost } from "../../git/ask/rev-list.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { hasEachChange } from "../../git/ask/same-changes.ts"
import { commitTree } from "../../git/change/commit-objects.ts"
import { OutputTooLongError } from "../../git/start/errors.ts"
import { type Owner, whose } from "../task-refs.ts"
import { addRescueRef } from "./add-ref.ts"
import type { Rescue, RescueRequest } from "./rescue.ts"

export type LeftBehind = Pick<RescueRequest, "owner" | "safeCommits" | "reason"> & {
  /** The worktree's own git directory. */
  readonly gitDir: string
  /** The branch whose log is deleted as well. */
  readonly branch: RefName | undefined
  /** Of git's list of lost commits. Default: that of any answer of git's. */
  readonly listBytesMax?: number
}

/** The first line of the commit, by which `list.ts` recognises it. */
export const LEFT_BEHIND = /^Commits that .* left behind, saved (before .*)\n/

/** Younger ones are kept before older ones; a program that amends all day deserves no more. */
const TIPS_MAX = 1_000
/**
 * Only this many commits are compared with kept changes, which git is slow at; the rest are kept.
 */
const COMPARED_MAX = 10

/** @returns undefined when every abandoned commit is kept elsewhere. */
export async function rescueLeftBehind(
  repo: string,
  { owner, safeCommits, reason, gitDir, branch, listBytesMax }: LeftBehind,
): Promise<Rescue | undefined> {
  const named = [...(await listLogged(gitDir, branch)), ...listOfOperation(gitDir)]
  const tips = await findEnds(repo, [...new Set(named)], safeCommits)
  if (tips.length === 0) return undefined
  const young = tips.slice(0, TIPS_MAX)
  const lost = await listLost(repo, young, safeCommits, listBytesMax).catch(undefinedIfTooLong)
  const ends = lost ? endsOf(young, lost) : young
  const isCompared = lost && ends.length <= COMPARED_MAX
  const worth = isCompared ? await listNew(repo, ends, safeCommits) : ends
  if (worth.length === 0) return undefined
  const commit = await gather(repo, { tips: worth, task: owner.task, reason })
  const notes = [
    ...(lost ? [] : ["too many commits to tell which are kept elsewhere"]),
    ...(tips.length > TIPS_MAX ? [`without ${tips.length - TIPS_MAX} older ones`] : []),
  ]
  const note = notes.length > 0 ? ` (${notes.join("; ")})` : ""
  const why = `${reason}: left behind in its worktree${note}`
  const rescue = { owner, commit, isState: false, reason: why }
  return { ...(await addRescueRef(repo, rescue)), paths: [], nested: [] }
}

/** The commits that no other one descends from, and that are not known to be kept. */
async function findEnds(
  repo: string,
  logged: readonly Oid[],
  kept: readonly Oid[],
): Promise<readonly Oid[]> {
  if (logged.every((oid) => kept.includes(oid))) return []
  const commits = await findCommits(repo, logged)
  const inner = new Set(commits.flatMap(({ parents }) => parents))
  return commits.map(({ oid }) => oid).filter((oid) => !inner.has(oid) && !kept.includes(oid))
}

const undefinedIfTooLong = (error: unknown): undefined => {
  if (!(error instanceof OutputTooLongError)) throw error
}

type Graph = ReadonlyMap<Oid, readonly Oid[]>

/** The lost ones of the tips that no other lost commit leads to. */
function endsOf(tips: readonly Oid[], lost: Graph): readonly Oid[] {
  const inner = new Set([...lost.values()].flat())
  return tips.filter((tip) => lost.has(tip) && !inner.has(tip))
}

/** The tips whose changes no kept commit has made. */
async function listNew(
  repo: string,
  tips: readonly Oid[],
  kept: readonly Oid[],
): Promise<readonly Oid[]> {
  const found: Oid[] = []
  for (const tip of tips) {
    let isNew = true
    for (const safe of kept) isNew &&= !(await hasEachChange(repo, { target: safe, commit: tip }))
    if (isNew) found.push(tip)
  }
  return found
}

type ToGather = {
  readonly tips: readonly Oid[]
  readonly task: Owner["task"]
  readonly reason: string
}

/** One commit that leads to all; a single one is returned as it is. */
async function gather(repo: string, { tips, task, reason }: ToGather): Promise<Oid> {
  const [youngest, ...others] = tips as readonly [Oid, ...Oid[]]
  if (others.length === 0) return youngest
  const [tree] = (await readTrees(repo, [youngest])) as [Oid]
  const message = `Commits that ${whose({ task })} left behind, saved before ${reason}\n`
  return await commitTree(repo, { tree, parents: tips, message })
}
