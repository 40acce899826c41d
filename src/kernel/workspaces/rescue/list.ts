/**
 * Lists the rescues in a repository, and what each holds. It asks git alone, so that they are found
 * even without our store.
 */
import type { Oid, RefName } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listOnlyHere } from "../../git/ask/log.ts"
import { listTree } from "../../git/ask/ls-tree.ts"
import type { CommitParts } from "../../git/change/commit-objects.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { LEFT_BEHIND } from "./left-behind.ts"
import { listRescueRefs, type RescueRefFound } from "./list-refs.ts"

export type FoundRescue = {
  readonly ref: RefName
  readonly commit: Oid
  /** `home-<hash>` if another home was the first in this repository: see task-refs.ts. */
  readonly folder: string | null
  /** The task, and the rescue's number within it. */
  readonly task: string
  readonly n: string
  readonly atMs: number
  /** `before …`; empty if unknown. */
  readonly reason: string
  /** The uncommitted files, as they differed from their commit. */
  readonly files: readonly { readonly path: string; readonly status: string }[]
  readonly filesInAll: number
  /** The index differed from the files: it is the commit's second parent. */
  readonly staged: boolean
  /** `<abbreviated id> <subject>` of commits that are on no branch or tag, newest first. */
  readonly commits: readonly string[]
  /** A branch or tag has it: a person has restored it, for example. */
  readonly isElsewhere: boolean
}

/** More than a person reads of one rescue; git shows the rest. */
const FILES_MAX = 200
const COMMITS_MAX = 50
/** The first line that rescue.ts writes. */
const STATE = /^Work of .*, saved (before .*)\n/

export async function listRescues(repo: string): Promise<FoundRescue[]> {
  const refs = await listRescueRefs(repo)
  if (refs.length === 0) return []
  const found = await Promise.all(
    refs.map(async (ref) => {
      const isElsewhere = (await listOnlyHere(repo, [ref.commit], 1)).length === 0
      return { ...(await describe(repo, ref)), isElsewhere }
    }),
  )
  return found.sort((a, b) => b.atMs - a.atMs)
}

async function describe(
  repo: string,
  found: RescueRefFound,
): Promise<Omit<FoundRescue, "isElsewhere">> {
  const { ref, commit, folder, task, n, parts, log } = found
  const said = STATE.exec(parts.message)?.[1]
  const left = LEFT_BEHIND.exec(parts.message)?.[1]
  const [head, index] = parts.parents
  const files = said === undefined ? [] : await listFiles(repo, commit, head)
  const single = said === undefined ? commit : head
  const tips = left === undefined ? [single].filter((tip) => tip !== undefined) : parts.parents
  return {
    ref,
    commit,
    folder,
    task,
    n,
    atMs: log?.atMs ?? committedAtMs(parts),
    reason: log?.reason ?? asText(said ?? left ?? ""),
    files: files.slice(0, FILES_MAX),
    filesInAll: files.length,
    staged: said !== undefined && index !== undefined,
    commits: tips.length > 0 ? await listOnlyHere(repo, tips, COMMITS_MAX) : [],
  }
}

async function listFiles(repo: string, commit: Oid, head: Oid | undefined) {
  const changes = head
    ? await listChanges(repo, head, commit)
    : (await listTree(repo, commit)).map(({ path }) => ({ path, status: "A" }))
  return changes.map(({ path, status }) => ({ path: displayPath(path), status }))
}

const committedAtMs = ({ committer }: CommitParts): number =>
  Number(/ (\d+) [+-]\d+$/.exec(committer)?.[1] ?? 0) * 1000

const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")
