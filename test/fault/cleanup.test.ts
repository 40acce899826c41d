/** A clean-up that is killed anywhere loses nothing, and the next one goes on. */
import { existsSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { CleanupTest, DAY_MS } from "../support/cleanup.ts"

class Cut extends Error {}

/** A worktree that is rescued before it goes, and what its landing kept. */
async function arrange() {
  const it = new CleanupTest()
  it.configure({ worktree_cleanup: { prune_unmerged_branches: true } })
  const unmerged = await it.worktree()
  const own = it.repo.commit({ "own.txt": "o" }, "OWN", unmerged.worktree)
  const kept = `refs/coppice/${unmerged.task}/head`
  it.repo.gitIn(unmerged.worktree, "reset", "-q", "--hard", "main")
  const snapshot = it.repo.commit({ "own.txt": "later" }, "SNAPSHOT", unmerged.worktree)
  it.repo.git("update-ref", kept, snapshot)
  it.repo.gitIn(unmerged.worktree, "reset", "-q", "--hard", own)
  it.nowMs += 8 * DAY_MS
  return { it, unmerged, commits: [own, snapshot], kept }
}

async function pointsOf(): Promise<string[]> {
  const { it } = await arrange()
  await using _ = it
  const points: string[] = []
  it.onPoint = (name) => void points.push(name)
  await it.collect()
  return points
}

const points = await pointsOf()

describe("cut off", () => {
  test.each(points.map((name, at) => ({ name, at })))("at $at, $name [4.1]", async ({ at }) => {
    const { it, unmerged, commits, kept } = await arrange()
    await using _ = it
    let passed = 0
    it.onPoint = () => {
      if (passed++ === at) throw new Cut()
    }
    await expect(it.collect()).rejects.toThrow(Cut)
    const reachable = () => it.repo.git("rev-list", "--all").split("\n")
    expect(reachable()).toEqual(expect.arrayContaining(commits))
    it.onPoint = () => {}
    it.restart()
    await it.collect()
    expect(reachable()).toEqual(expect.arrayContaining(commits))
    expect(existsSync(unmerged.worktree)).toBe(false)
    expect(it.repo.git("branch", "--list", unmerged.branch!)).toBe("")
    expect(it.repo.git("for-each-ref", kept)).toBe("")
    expect((await it.plan()).repos[0]?.items).toEqual([])
  })
})
