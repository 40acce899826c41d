/** Lands files while the target is checked out as a user left it. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { LandingTest } from "./landing.ts"
import { type Files, TestRepo } from "./repo.ts"

/** Every byte of a checkout beside git's own, with modes of links and index as git sees them. */
export function snapshot(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git"))
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.endsWith("/.git"))
      .map((file) => [file.slice(path.length + 1), readFileSync(file, "latin1")]),
  )
}

/** A landing of these files, while main is checked out as `disturb` leaves it. */
export async function land(
  files: Files,
  disturb: (repo: TestRepo) => void,
  check: (it: LandingTest, landing: Landing) => void | Promise<void>,
) {
  using repo = new TestRepo()
  repo.commit({ "other.txt": "other\n", "dir/x": "x\n", ".gitignore": "*.o\nbuild/\n" }, "M0")
  await using it = new LandingTest(repo)
  repo.commit(files, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  disturb(repo)
  await check(it, await it.run(id))
}

/** Waits as DIRTY_MAIN naming the paths, with main and every byte where it was; lands once freed. */
export async function waits(
  files: Files,
  disturb: (repo: TestRepo) => void,
  { paths, free }: { paths: string[] | undefined; free: (repo: TestRepo) => void },
) {
  let before: unknown
  const state = (repo: TestRepo) => [
    snapshot(repo.path),
    repo.git("status", "--porcelain", "--untracked-files=all", "--ignored"),
    repo.git("ls-files", "--stage"),
    repo.tip("main"),
  ]
  const disturbed = (repo: TestRepo) => {
    disturb(repo)
    before = state(repo)
  }
  await land(files, disturbed, async (it, landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN", attempts: 0 })
    if (paths) expect(landing.details).toEqual({ paths })
    expect(landing.wakeAtMs).toBe(it.nowMs + 2_000)
    expect(it.task(landing.id).state).toBe("merging")
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
    expect(state(it.repo)).toEqual(before)
    free(it.repo)
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.repo.git("status", "--porcelain")).toBe("")
  })
}
