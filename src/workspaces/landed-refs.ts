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
import type { Oid, RefName } from "../core/ids.ts"
import { listRefs } from "../git/ask/refs.ts"
import { deleteRefs } from "../git/change/update-ref.ts"
import { addRescueRef } from "./rescue/add-ref.ts"
import { isContained } from "./rescue/rescue.ts"
import { isFolderOf, LANDED_PREFIX, type Owner } from "./task-refs.ts"

/** More than a person looks back; few enough for git to stay quick. */
const LANDED_REFS_MAX = 50

type Landed = {
  readonly owner: Owner
  /** Commits that need no such ref: what they contain stays. */
  readonly contained: readonly Oid[]
  /** Completes "before …". */
  readonly reason: string
}

/** @param commit the agent's last one. */
export async function keepLanded(
  repo: string,
  commit: Oid,
  { owner, contained, reason }: Landed,
): Promise<void> {
  if (await isContained(repo, commit, contained)) return
  await addRescueRef(repo, { owner, commit, isState: false, reason, kind: "landed" })
  await dropOldest(repo, owner)
}

const NAME = /^(?:(home-[0-9a-f]+)\/)?(\d+)\/(\d+)$/

type Numbered = { readonly ref: RefName; readonly task: number; readonly n: number }

/** Later tasks have higher numbers. */
async function dropOldest(repo: string, { home }: Owner): Promise<void> {
  const found = await listRefs(repo, LANDED_PREFIX)
  if (found.length <= LANDED_REFS_MAX) return
  const own: Numbered[] = []
  for (const { ref } of found) {
    const [, folder = null, task, n] = NAME.exec(ref.slice(LANDED_PREFIX.length)) ?? []
    if (task !== undefined && (await isFolderOf(repo, home, folder)))
      own.push({ ref, task: Number(task), n: Number(n) })
  }
  own.sort((a, b) => b.task - a.task || b.n - a.n)
  const over = own.slice(LANDED_REFS_MAX).map(({ ref }) => ref)
  if (over.length > 0) await deleteRefs(repo, over)
}
