/** Faults during a landing: one function each, run at one point. */
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LandingId } from "../../src/base/ids.ts"
import { next } from "../../src/base/machine.ts"
import type { Intent } from "../../src/kernel/landing/move/advance-branch.ts"
import { recordLanding } from "../../src/kernel/landing/rows/record.ts"
import { LANDING, type LandingOutcome } from "../../src/kernel/landing/rules.ts"
import { breakGit, type GitFault, mendGit } from "./faulty-git.ts"
import { Crash, type LandingTest } from "./landing.ts"

/** Where a fault strikes. */
export type Place = {
  readonly it: LandingTest
  readonly id: LandingId
  /** The task's. */
  readonly worktree: string
}

export type Fault = {
  /** @returns the effect; undefined if it was impossible or unnoticeable. */
  strike(place: Place): Did | undefined
  /** Removes the fault again, as a person would. */
  end?(place: Place): void
  /** Reasons for which the landing may wait, or fail until a person lands it again. */
  readonly waits: readonly LandingOutcome[]
}

/** `theirs` and `late` are the subjects of commits that were made. */
export type Did = "theirs" | "late" | "in the way" | "cancelled"

const IN_THE_WAY = "feat.txt"
const THEIRS = "the user's"
const MAIN_LOCK = ".git/refs/heads/main.lock"

export const FAULTS: Readonly<Record<string, Fault>> = {
  cut: {
    strike: () => {
      throw new Crash()
    },
    waits: [],
  },
  "a person commits to the target": { strike: commitToTarget, waits: [] },
  "the agent commits late": { strike: commitLate, waits: [] },
  "the user's checkout is in the way": {
    strike({ it: { repo } }) {
      if (existsSync(join(repo.path, IN_THE_WAY))) return undefined
      repo.write({ [IN_THE_WAY]: THEIRS })
      return "in the way"
    },
    end: ({ it: { repo } }) => {
      const path = join(repo.path, IN_THE_WAY)
      const isTheirs = existsSync(path) && readFileSync(path, "utf8") === THEIRS
      if (isTheirs) rmSync(path) // else the task's has landed
    },
    waits: ["DIRTY_MAIN"],
  },
  cancel: { strike: cancel, waits: [] },
  "git is killed before it writes": gitFault("killed before", ["UPDATE_REF_FAILED"]),
  "git is killed when it has written": gitFault("killed after", ["UPDATE_REF_FAILED"]),
  // A later write may succeed: the landing fails, and its work is kept.
  "the disk is full": gitFault("disk full", ["UPDATE_REF_FAILED", "WORKTREE_ERROR", "DIRTY_MAIN"]),
  "the target's lock is held": heldLock(MAIN_LOCK),
  "the checkout's lock is held": heldLock(".git/index.lock"),
  "the worktree's lock is held": heldLock(".git/worktrees/feat/index.lock"),
}

function commitToTarget({ it: { repo } }: Place): Did | undefined {
  // Under git's locks it would move their files and then fail: they would try again.
  const locks = [MAIN_LOCK, ".git/index.lock"]
  if (locks.some((lock) => existsSync(join(repo.path, lock)))) return undefined
  const tree = repo.git("merge-tree", "--write-tree", "main", "theirs") // with what has landed by then
  const commit = repo.git("commit-tree", tree, "-p", "main", "-m", "THEIRS")
  const isHere = repo.git("symbolic-ref", "HEAD") === "refs/heads/main"
  const move = isHere ? ["merge", "--quiet", "--ff-only"] : ["update-ref", "refs/heads/main"]
  repo.git(...move, commit)
  return "theirs"
}

/** A commit while the gate runs, or before the next start after a cut, is taken for the gate's. */
const isInGate = ({ points }: LandingTest) =>
  points.lastIndexOf("gating: gate ended") > points.lastIndexOf("gating: gate ran")

function commitLate({ it, worktree }: Place): Did | undefined {
  const { repo } = it
  if (!existsSync(worktree) || isInGate(it)) return undefined
  try {
    // Only its own file: with the gate's edits, it would rightly wait for the user's README.md.
    repo.write({ "late.txt": "late" }, worktree)
    repo.gitIn(worktree, "add", "late.txt")
    repo.gitIn(worktree, "commit", "--quiet", "--only", "--message=LATE", "late.txt")
    return "late"
  } catch {
    return undefined // git's locks kept it out
  }
}

function cancel({ it, id }: Place): Did | undefined {
  const landing = it.landing(id)
  const isPublishing = landing.repos.some(
    ({ intent, target }) => (intent as Intent | null)?.ref === target,
  )
  if (isPublishing || !next(LANDING, landing.state, "cancelled")) return undefined
  recordLanding(it.db, landing, { event: "cancelled" }, it.nowMs)
  return "cancelled"
}

function gitFault(fault: GitFault, waits: Fault["waits"]): Fault {
  return {
    strike: ({ it: { repo } }) => void breakGit(repo, fault),
    end: ({ it: { repo } }) => void mendGit(repo),
    waits,
  }
}

/** Another git works, or died: only time distinguishes the two. */
function heldLock(path: string): Fault {
  const held = new Map<string, number>() // open, since a lock that no process holds is removed
  const lockOf = ({ it: { repo } }: Place) => join(repo.path, path)
  return {
    strike(place) {
      const lock = lockOf(place)
      if (existsSync(lock) || !existsSync(join(lock, ".."))) return undefined
      writeFileSync(lock, "another program's")
      held.set(lock, openSync(lock, "r"))
      return undefined
    },
    end: (place) => {
      const lock = lockOf(place)
      const file = held.get(lock)
      if (file === undefined) return
      rmSync(lock, { force: true })
      closeSync(file)
      held.delete(lock)
    },
    waits: ["LOCKED", "UPDATE_REF_FAILED"],
  }
}
