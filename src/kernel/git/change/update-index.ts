/** `git update-index`: the index, entry by entry. Runs in the worktree's root. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listTree } from "../ask/ls-tree.ts"
import { indexEnv } from "../start/environment.ts"
import { gitOnIndex, type Locked } from "./index-lock.ts"

export type IndexWritten = { readonly kind: "done" } | { readonly kind: "locked" }

/** Like an entry of {@link listChanges}. Mode `000000` removes the path. */
export type IndexEntry = { readonly path: GitPath; readonly mode: string; readonly oid: Oid }

/** Rereads files whose times have changed, so that only real edits count. */
export async function refreshIndex(
  cwd: string,
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<IndexWritten> {
  const options = { answers: [0, 1], env: indexEnv(indexFile) }
  return written(await gitOnIndex(cwd, ["update-index", "-q", "--refresh"], options))
}

/** Sets entries of the index without reading files. */
export async function writeIndexInfo(
  cwd: string,
  entries: readonly IndexEntry[],
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<IndexWritten> {
  const lines = entries.map(({ path, mode, oid }) => `${mode} ${oid}\t${path}\0`)
  const stdin = Buffer.from(lines.join(""), "latin1")
  return written(
    await gitOnIndex(cwd, ["update-index", "-z", "--index-info"], {
      stdin,
      env: indexEnv(indexFile),
    }),
  )
}

const written = (result: object | Locked): IndexWritten => ({
  kind: "kind" in result ? "locked" : "done",
})

export async function unstage(
  worktree: string,
  commit: Oid,
  paths: readonly GitPath[],
  index: { readonly indexFile?: string } = {},
): Promise<void> {
  if (paths.length === 0) return
  const tree = new Map((await listTree(worktree, commit)).map((entry) => [entry.path, entry]))
  const none = { mode: "000000", oid: "0".repeat(commit.length) as Oid }
  await writeIndexInfo(
    worktree,
    paths.map((path) => ({ ...(tree.get(path) ?? none), path })),
    index,
  )
}
