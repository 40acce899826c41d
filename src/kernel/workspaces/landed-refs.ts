/**
 * Keeps the commits of a task as the agent wrote them, when they landed under other ids.
 *
 *   refs/coppice/rescue/landed/<task>/<n> → the agent's last commit
 *
 * `coppice recover` does not list them: the landing made its candidate of them, so every change is on
 * the target. The newest tasks keep theirs, for people who look for a commit that an agent or a log
 * named.
 *
 * @see docs/adr/0073-landed-commits-are-no-rescues.md
 */
import type { Oid, RefName } from "../../base/ids.ts"
import { listRefs } from "../git/ask/list-refs.ts"
import { deleteRefs, updateRef } from "../git/change/update-ref.ts"
import { RefBusyError } from "./errors.ts"
import { isContained } from "./rescue/rescue.ts"
import { isFolderOf, landedPrefix, type Owner, SAVED } from "./task-refs.ts"

/** More than a person looks for, and few enough to keep git fast. */
const LANDED_REFS_MAX = 50

type Landed = {
  readonly owner: Owner
  /** Commits that stay: what they contain needs no such ref. */
  readonly safeCommits: readonly Oid[]
  /** Completes "before …". */
  readonly reason: string
}

/** @param commit the agent's last one. @throws {RefBusyError} */
export async function keepLanded(
  repo: string,
  commit: Oid,
  { owner, safeCommits, reason }: Landed,
): Promise<void> {
  if (await isContained(repo, commit, safeCommits)) return
  const prefix = await landedPrefix(repo, owner)
  const found = await listRefs(repo, SAVED.landed)
  const earlier = found.filter(({ ref }) => ref.startsWith(`${prefix}/`))
  if (earlier.some(({ oid }) => oid === commit)) return
  const numbers = earlier.flatMap(({ ref }) => Number(NAME.exec(ref)?.[3] ?? 0))
  const ref = `${prefix}/${Math.max(0, ...numbers) + 1}` as RefName
  const added = { ref, from: null, to: commit, reason: `before ${reason}` }
  if ((await updateRef(repo, added)).kind !== "moved") throw new RefBusyError(ref)
  await dropOldest(repo, owner, [...found.map(({ ref }) => ref), ref])
}

const NAME = /^refs\/coppice\/rescue\/landed\/(?:(home-[0-9a-f]+)\/)?(\d+)\/(\d+)$/

type Numbered = { readonly ref: RefName; readonly task: number; readonly n: number }

/** Later tasks have higher numbers. Refs that another git has locked go with the next ones. */
async function dropOldest(repo: string, { home }: Owner, refs: readonly RefName[]): Promise<void> {
  if (refs.length <= LANDED_REFS_MAX) return
  const own: Numbered[] = []
  for (const ref of refs) {
    const [, folder = null, task, n] = NAME.exec(ref) ?? []
    if (task !== undefined && (await isFolderOf(repo, home, folder)))
      own.push({ ref, task: Number(task), n: Number(n) })
  }
  own.sort((a, b) => b.task - a.task || b.n - a.n)
  const over = own.slice(LANDED_REFS_MAX).map(({ ref }) => ref)
  if (over.length > 0) await deleteRefs(repo, over)
}
