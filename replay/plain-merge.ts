/** Repeats a recorded merge by `git merge`, in a temporary worktree. */
import { join } from "node:path"
import type { Oid } from "../src/base/ids.ts"
import type { RecordedMerge } from "./recorded-merges.ts"
import type { ScratchClone } from "./scratch-clone.ts"

export type PlainMerge =
  | { readonly kind: "clean"; readonly tree: Oid; readonly timeMs: number }
  | { readonly kind: "conflict"; readonly timeMs: number }
  /** Git would not even begin: histories without a common commit, say. */
  | { readonly kind: "refused"; readonly timeMs: number }

const CONFLICT_EXIT_CODE = 1

export function mergePlainly(clone: ScratchClone, { onto, topic }: RecordedMerge): PlainMerge {
  const startMs = performance.now()
  const worktree = join(clone.path, "../worktree")
  clone.git("worktree", "add", "--quiet", "--detach", worktree, onto)
  const merge = ["merge", "--quiet", "--no-ff", "--no-edit", "--message=merge", topic]
  const { exitCode } = clone.ask(worktree, ...merge)
  const { stdout } = clone.ask(worktree, "rev-parse", "HEAD^{tree}")
  clone.git("worktree", "remove", "--force", worktree)
  const timeMs = performance.now() - startMs
  if (exitCode === 0) return { kind: "clean", tree: stdout as Oid, timeMs }
  return { kind: exitCode === CONFLICT_EXIT_CODE ? "conflict" : "refused", timeMs }
}
