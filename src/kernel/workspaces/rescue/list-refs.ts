/** Lists the rescue refs of a repository, by their names and git's log alone. */
import type { Oid, RefName } from "../../../base/ids.ts"
import { readObjects } from "../../git/ask/cat-file.ts"
import { listCommitRefs } from "../../git/ask/list-refs.ts"
import { type Reflogged, readReflogs } from "../../git/ask/reflog.ts"
import { type CommitParts, parseCommit } from "../../git/change/commit-objects.ts"
import { SAVED } from "../task-refs.ts"

export type RescueRefFound = {
  readonly ref: RefName
  readonly commit: Oid
  /** `home-<hash>` if another home was the first in this repository: see task-refs.ts. */
  readonly folder: string | null
  /** The task, and the rescue's number within it. */
  readonly task: string
  readonly n: string
  /** The rescue holds nothing but files that git ignores. */
  readonly isIgnored: boolean
  readonly parts: CommitParts
  /** Git's log of it, which expires after a while. */
  readonly log: Reflogged | undefined
}

/** The first line that rescue.ts writes for such files. */
const IGNORED = /^Work of .* that git ignores, saved before /
/** `[<folder>/]<task>/<n>`, or any other name that was put there. */
const NAME = /^(?:(home-[0-9a-f]+)\/)?([^/]+)\/?(.*)$/

export async function listRescueRefs(repo: string): Promise<RescueRefFound[]> {
  const refs = (await listCommitRefs(repo, SAVED.rescue)).filter(
    ({ ref }) => !ref.startsWith(SAVED.landed),
  )
  if (refs.length === 0) return []
  const oids = refs.map(({ oid }) => oid)
  const [logs, raws] = await Promise.all([readReflogs(repo, SAVED.rescue), readObjects(repo, oids)])
  return refs.map(({ ref, oid: commit }, at) => {
    const [, folder = null, task = "", n = ""] = NAME.exec(ref.slice(SAVED.rescue.length)) ?? []
    const parts = parseCommit(raws[at] ?? "")
    const isIgnored = IGNORED.test(parts.message)
    return { ref, commit, folder, task, n, isIgnored, parts, log: logs.get(ref) }
  })
}
