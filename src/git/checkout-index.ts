/** `git checkout-index`: files as they are in the index. */
import type { GitPath } from "../core/ids.ts"
import { gitOnIndex } from "./index-lock.ts"
import type { IndexWritten } from "./update-index.ts"

/** Overwrites these files with their entries of the index. Runs in the worktree's root. */
export async function checkoutIndex(cwd: string, paths: readonly GitPath[]): Promise<IndexWritten> {
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  const args = ["checkout-index", "--force", "--index", "-z", "--stdin"]
  const result = await gitOnIndex(cwd, args, { stdin })
  return { kind: "kind" in result ? "locked" : "done" }
}
