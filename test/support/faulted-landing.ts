/**
 * Lands once while one fault strikes at one point, and checks what a landing promises.
 *
 * It lands exactly once, or was cancelled before it was published. No commit is lost, and targets only
 * go forward. The published tree has a passed gate on record. The user's bytes are in place, and no
 * lock is left.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { LandingId } from "../../src/base/ids.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import type { LandingOutcome } from "../../src/kernel/landing/rules.ts"
import { sql } from "../../src/kernel/store/sql.ts"
import { approve } from "../../src/kernel/tasks/actions/approve.ts"
import { bundleLandingMain } from "./bundled.ts"
import type { Did, Fault } from "./faults.ts"
import { LandingTest } from "./landing.ts"
import { TestRepo } from "./repo.ts"
import { waitFor } from "./wait-for.ts"

export type Setting = {
  readonly name: string
  readonly gate: string | false
  /** The target is not checked out. */
  readonly away: boolean
  /** A person has to approve each snapshot, and does. */
  readonly approved?: boolean
  /** The gate is red at first, on the work alone, and the agent resolves that. */
  readonly red?: boolean
}

/** The gate leaves something to rescue, and something that is ignored. */
const GATE = "test -f feat.txt && echo more > cache.log && echo x >> README.md"
const RED = "test ! -f feat.txt || test -f resolved.txt"
export const SETTINGS: readonly Setting[] = [
  { name: "target checked out, no gate", gate: false, away: false },
  { name: "target not checked out, no gate", gate: false, away: true },
  { name: "target checked out, a gate", gate: GATE, away: false },
  { name: "target checked out, approved by a person", gate: false, away: false, approved: true },
  { name: "target checked out, a gate that is red at first", gate: RED, away: false, red: true },
]

const PASSED = "select 1 as passed from gate_results where tree = :tree and exit_code = 0"
const LOCKS = ["index.lock", "HEAD.lock", "refs/heads/main.lock", "worktrees/feat/index.lock"]
/** How often a person must act on the fault until it lands. */
const WAITS_MAX = 4
const README = "the user's edit\n"
const NOTES = "the user's notes"

export const QUIET: Fault = { strike: () => undefined, waits: [] }

/** A task that has something to land on a target that has moved on, and a user with uncommitted work. */
export function arrange({ away }: Setting): TestRepo {
  const repo = new TestRepo()
  repo.commit({ ".gitignore": "*.log\n" }, "M0")
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  repo.commit({ "m.txt": "m" }, "M1")
  repo.git("checkout", "--quiet", "-b", "theirs")
  repo.commit({ "theirs.txt": "theirs" }, "theirs")
  repo.git("checkout", "--quiet", ...(away ? ["-b", "away", "main"] : ["main"]))
  repo.write({ "README.md": README, "notes.txt": NOTES })
  return repo
}

export type Strike = {
  readonly fault: Fault
  /** At the how-manieth point; -1: at none. */
  readonly at: number
}

/** @param arranged by {@link arrange}; not changed. @returns the points passed. */
export async function landFaulted(
  setting: Setting,
  arranged: TestRepo,
  ...strikes: readonly Strike[]
): Promise<readonly string[]> {
  using repo = new TestRepo({ copyOf: arranged })
  await using it = new LandingTest(repo, { gate: setting.gate })
  const id = it.submit({
    branch: "feat",
    base: repo.tip("main~1"),
    land: setting.approved ? "approve" : "merge",
  })
  const start = repo.tip("main")
  const worktree = join(repo.folder, "worktrees/feat")
  const place = { it, id, worktree }
  const did = new Set<Did>()
  const silent = new Set<Fault>()
  it.onPoint = () => {
    for (const { fault, at } of strikes) {
      if (it.points.length - 1 !== at) continue
      silent.add(fault)
      const done = fault.strike(place)
      if (done) did.add(done)
      if (done) silent.delete(fault)
    }
  }
  const waits = strikes.flatMap(({ fault }) => fault.waits)
  const end = () => {
    for (const { fault } of strikes) fault.end?.(place)
  }
  const landing = await settle(it, id, { waits, end })
  // The fault had no effect, or the landing is over.
  for (const { fault } of strikes) if (silent.has(fault) || did.has("cancelled")) fault.end?.(place)
  check(it, { landing, did, start, setting })
  return it.points
}

/** More than landing and its orphans take. */
const MAIN_MS_MAX = 60_000

/**
 * Lands in a process of its own, which kills itself at a point; then the next start goes on.
 *
 * @param at the how-manieth point. @returns the signal that ended the process.
 */
export async function landKilled(setting: Setting, arranged: TestRepo, at: number) {
  using repo = new TestRepo({ copyOf: arranged })
  const dbPath = join(repo.folder, "store.db")
  await using it = new LandingTest(repo, { gate: setting.gate, dbPath })
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  const start = repo.tip("main")
  const args = [
    await bundleLandingMain(),
    repo.folder,
    repo.path,
    dbPath,
    String(id),
    ...(setting.gate ? [setting.gate] : []),
  ]
  const env = { ...process.env, KILL_AT: String(at) }
  const child = spawn(process.execPath, args, { env, stdio: "ignore", timeout: MAIN_MS_MAX })
  const [, signal] = await once(child, "exit")

  // A git that outlives it still holds its locks for a moment: that is waited for.
  const isOver = async () => (await it.runThrough(id)).state === "landed"
  await waitFor("the landing to land", isOver, MAIN_MS_MAX)
  check(it, { landing: it.landing(id), did: new Set(), start, setting })
  return signal
}

/** Runs until it is over; when it waits, rests or fails, the fault ends, as its reader would end it. */
async function settle(
  it: LandingTest,
  id: LandingId,
  { waits, end }: { readonly waits: readonly LandingOutcome[]; end(): void },
): Promise<Landing> {
  it.onRest = end
  for (let waited = 0; ; waited++) {
    const landing = await runAnswered(it, id, end)
    if (landing.state !== "waiting" && landing.state !== "failed") return landing
    expect(waits, landing.reason ?? "").toContain(landing.outcome)
    expect(waited, `${landing.outcome}: ${landing.reason}`).toBeLessThan(WAITS_MAX)
    end()
    if (landing.state === "waiting") it.wake(id)
    else it.resubmit(id)
  }
}

/** Approves every review; the count shows that a fault does not lose approvals. */
async function runAnswered(it: LandingTest, id: LandingId, end: () => void): Promise<Landing> {
  for (let times = 0; times < WAITS_MAX; times++) {
    const landing = await it.run(id)
    if (landing.state === "in_review") approve(it.context, it.task(id))
    else if (landing.state === "handed_back") {
      end() // another process's lock stops the agent too
      resolve(it, id)
    } else return landing
  }
  throw new Error("an answered question is asked again and again")
}

/** The agent finds only its own work, so it adds everything. */
function resolve(it: LandingTest, id: LandingId): void {
  const { repo } = it
  const worktree = join(repo.folder, "worktrees/feat")
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("")
  repo.commit({ "resolved.txt": "" }, "RESOLVED", worktree)
  it.resubmit(id)
}

type Ended = {
  readonly landing: Landing
  readonly did: ReadonlySet<Did>
  readonly start: string
  readonly setting: Setting
}

function check(it: LandingTest, { landing, did, start, setting }: Ended): void {
  const { repo } = it
  const subjects = (...of: string[]) => repo.git("log", "--format=%s", ...of).split("\n")
  const main = subjects("main")
  const isCancelled = did.has("cancelled")
  if (isCancelled) {
    expect([landing.state, landing.repos[0]?.published]).toEqual(["cancelled", false])
    expect(subjects("--all")).toContain("A1")
  } else expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(main.filter((subject) => subject === "A1")).toHaveLength(isCancelled ? 0 : 1)
  const added = repo.git("ls-tree", "--name-only", "main", "feat.txt")
  expect(added).toBe(isCancelled ? "" : "feat.txt")
  if (did.has("theirs")) expect(main).toContain("THEIRS")
  if (did.has("late")) expect(subjects("--all")).toContain("LATE")
  expect(main.slice(-3)).toEqual(["M1", "M0", "commit"])
  checkTarget(it, start)
  if (!isCancelled && setting.gate) {
    const tree = repo.tip(`${landing.repos[0]!.candidate}^{tree}`)
    expect(sql(it.db, PASSED).find({ tree })).toEqual({ passed: 1 })
  }

  const blocks = setting.away && did.has("in the way") ? ["?? feat.txt"] : []
  const status = repo.git("status", "--porcelain").split("\n")
  expect(status).toEqual(["M README.md", ...blocks, "?? notes.txt"])
  expect(readFileSync(join(repo.path, "README.md"), "utf8")).toBe(README)
  expect(readFileSync(join(repo.path, "notes.txt"), "utf8")).toBe(NOTES)
  expect(LOCKS.filter((name) => existsSync(join(repo.path, ".git", name)))).toEqual([])
  repo.git("fsck", "--no-dangling")
}

/** Each move went forward from the one before. */
function checkTarget({ repo }: LandingTest, start: string): void {
  const moves = repo.git("reflog", "show", "--format=%H", "main").split("\n")
  for (const [n, oid] of moves.slice(0, moves.indexOf(start)).entries())
    repo.git("merge-base", "--is-ancestor", moves[n + 1]!, oid)
}
