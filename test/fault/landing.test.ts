/**
 * Disturbs a landing at every point where it can be disturbed.
 *
 * Method: list the points that a quiet landing passes. Then, once per point and per fault, land
 * again in a new repository, and run until it settles. Then check what a landing promises: it lands
 * exactly once, or was cancelled before it was published; nobody's commit is lost; targets only go
 * forward; the tree that is published has a passed gate on record; and the user's bytes are where
 * they were.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { LandingId } from "../../src/core/ids.ts"
import { LANDING } from "../../src/core/landing.ts"
import { next } from "../../src/core/machine.ts"
import type { Intent } from "../../src/landing/advance-branch.ts"
import { recordLanding } from "../../src/store/landings/record.ts"
import { sql } from "../../src/store/sql.ts"
import { Crash, LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

/** @returns the subject of a commit that it made, or what else it did. */
type Fault = (it: LandingTest, id: LandingId, worktree: string) => string | undefined

const FAULTS: Readonly<Record<string, Fault>> = {
  crash: () => {
    throw new Crash()
  },
  "somebody commits to the target": ({ repo }) => {
    // Under the target's lock git would move their files and then fail: they would try again.
    if (existsSync(join(repo.path, ".git/refs/heads/main.lock"))) return undefined
    const commit = repo.git("commit-tree", "theirs^{tree}", "-p", "main", "-m", "THEIRS")
    const isHere = repo.git("symbolic-ref", "HEAD") === "refs/heads/main"
    repo.git(
      ...(isHere ? ["merge", "--quiet", "--ff-only"] : ["update-ref", "refs/heads/main"]),
      commit,
    )
    return "THEIRS"
  },
  "the agent commits late": ({ repo }, _, worktree) => {
    if (!existsSync(worktree)) return undefined
    try {
      repo.commit({ "late.txt": "late" }, "LATE", worktree)
      return "LATE"
    } catch {
      return undefined // git's locks kept it out
    }
  },
  "the user's checkout is in the way": ({ repo }) => {
    if (existsSync(join(repo.path, "feat.txt"))) return undefined
    repo.write({ "feat.txt": "the user's" })
    return "in the way"
  },
  cancel: (it, id) => {
    const landing = it.landing(id)
    const isPublishing = landing.repos.some(
      ({ intent, target }) => (intent as Intent | null)?.ref === target,
    )
    if (isPublishing || !next(LANDING, landing.state, "cancelled")) return undefined
    recordLanding(it.db, landing, { event: "cancelled" }, it.nowMs)
    return "cancelled"
  },
}

const SETTINGS = [
  { gate: false, away: false },
  { gate: false, away: true },
  { gate: "test -f feat.txt && echo more > cache.log && echo x >> README.md", away: false },
] as const
type Setting = (typeof SETTINGS)[number]

/** Each landing takes half a second, so not everything is tried everywhere. */
function isWorthIt({ gate }: Setting, what: string, point: string): boolean {
  if (what === "crash") return gate !== false || /^(publishing|advance)/.test(point)
  if (!gate) return /looked|ref locked|ref moved/.test(point)
  return /committed|looked|gate ran|ref locked|ref moved|(preparing|syncing|gating|cleaning): before/.test(
    point,
  )
}

const GATE_COLUMNS = "select 1 as passed from gate_results where tree = :tree and exit_code = 0"
const commits = (repo: TestRepo, ...of: string[]) =>
  repo.git("log", "--format=%s", ...of).split("\n")

/** @param at the how-manieth point the fault strikes at; -1: none. */
async function land({ gate, away }: Setting, fault: Fault, at: number) {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "*.log\n" }, "M0")
  await using it = new LandingTest(repo, { gate })
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  repo.commit({ "m.txt": "m" }, "M1")
  repo.git("checkout", "--quiet", "-b", "theirs")
  repo.commit({ "theirs.txt": "theirs" }, "theirs")
  repo.git("checkout", "--quiet", ...(away ? ["-b", "away", "main"] : ["main"]))
  repo.write({ "README.md": "the user's edit\n", "notes.txt": "the user's notes" })
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  const start = repo.tip("main")

  let did: string | undefined
  it.onPoint = () => {
    if (it.points.length - 1 === at) did = fault(it, id, worktree)
  }
  let landing = await it.run(id)
  for (let waits = 0; landing.state === "waiting"; waits++) {
    expect([waits, landing.outcome]).toEqual([0, "DIRTY_MAIN"])
    expect(readFileSync(join(repo.path, "feat.txt"), "utf8")).toBe("the user's")
    rmSync(join(repo.path, "feat.txt"))
    it.wake(id)
    landing = await it.run(id)
  }

  const moves = repo.git("reflog", "show", "--format=%H", "main").split("\n")
  for (const [n, oid] of moves.slice(0, moves.indexOf(start)).entries())
    repo.git("merge-base", "--is-ancestor", moves[n + 1]!, oid)
  expect(readFileSync(join(repo.path, "README.md"), "utf8")).toBe("the user's edit\n")
  expect(readFileSync(join(repo.path, "notes.txt"), "utf8")).toBe("the user's notes")
  repo.git("fsck", "--no-dangling")
  if (landing.outcome === "LANDED" && gate) {
    const tree = repo.tip(`${landing.repos[0]!.candidate}^{tree}`)
    expect(sql(it.db, GATE_COLUMNS).find({ tree })).toEqual({ passed: 1 })
  }
  return {
    did,
    points: it.points,
    landing,
    main: commits(repo, "main"),
    all: commits(repo, "--all"),
    dirty: repo.git("status", "--porcelain").split("\n"),
    locks: ["index.lock", "HEAD.lock", "refs/heads/main.lock"].filter((name) =>
      existsSync(join(repo.path, ".git", name)),
    ),
  }
}

for (const setting of SETTINGS) {
  const { points } = await land(setting, () => undefined, -1)
  const { away, gate } = setting
  const where = `target ${away ? "not " : ""}checked out, ${gate ? "a" : "no"} gate`

  describe.each(Object.entries(FAULTS))(`${where}: %s`, (what, fault) => {
    const places = points.map((name, at) => ({ name, at }))
    const here = places.filter(({ name }) => isWorthIt(setting, what, name))
    test.concurrent.each(here)("at $at, $name", async ({ at }) => {
      const { did, landing, main, all, dirty, locks } = await land(setting, fault, at)
      if (did === "cancelled") {
        expect([landing.state, landing.repos[0]?.published]).toEqual(["cancelled", false])
        expect(all).toContain("A1")
      } else expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", attempts: 0 })
      const times = main.filter((subject) => subject === "A1").length
      expect(times).toBe(did === "cancelled" ? 0 : 1)
      if (did === "THEIRS") expect(main).toContain("THEIRS")
      if (did === "LATE") expect(all).toContain("LATE")
      expect(main.slice(-3)).toEqual(["M1", "M0", "commit"])
      const blocks = away && did === "in the way" ? ["?? feat.txt"] : []
      expect(dirty).toEqual(["M README.md", ...blocks, "?? notes.txt"])
      expect(locks).toEqual([])
    })
  })
}
