/** Two repositories to disturb while a task's work lands in both, and what holds however that goes. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { PAIR, Pair, type PairName } from "./pair.ts"

const USERS = { "README.md": "the user's edit\n", "notes.txt": "the user's notes" }
const LOCKS = ["index.lock", "HEAD.lock", "refs/heads/main.lock"]

/** Both targets have moved on, and both users have uncommitted work. */
export function arrangePair(): Pair {
  const pair = new Pair()
  for (const name of PAIR) {
    pair[name].commit({ "m.txt": "m" }, "M1")
    pair[name].write(USERS)
  }
  return pair
}

/**
 * Each target only went forward, the users' bytes are where they were, and no lock is left.
 *
 * @param starts where the targets were.
 */
export function expectUndamaged(pair: Pair, starts: Record<PairName, string>): void {
  for (const name of PAIR) {
    const repo = pair[name]
    const moves = repo.git("reflog", "show", "--format=%H", "main").split("\n")
    for (const [n, oid] of moves.slice(0, moves.indexOf(starts[name])).entries())
      repo.git("merge-base", "--is-ancestor", moves[n + 1]!, oid)
    for (const [file, content] of Object.entries(USERS))
      expect(readFileSync(join(repo.path, file), "utf8")).toBe(content)
    repo.git("fsck", "--no-dangling")
    for (const lock of LOCKS)
      expect(existsSync(join(repo.path, ".git", lock)), `${name}: ${lock}`).toBe(false)
    const dirty = repo.git("status", "--porcelain").split("\n")
    expect(dirty).toEqual(["M README.md", "?? notes.txt"])
  }
}
