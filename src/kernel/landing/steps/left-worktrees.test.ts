/** A worktree that cannot be landed as it was left: its agent is asked first, where it can help. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Landing } from "../rows/row.ts"

/** Lands a branch with one commit, in the state in which `disturb` leaves its worktree. */
async function land(
  disturb: (repo: TestRepo, worktree: string) => void,
  check: (it: LandingTest, landing: Landing, worktree: string) => void | Promise<void>,
  gate: string | false = false,
) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate })
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  disturb(repo, worktree)
  await check(it, await it.run(id), worktree)
}

const attempt = (repo: TestRepo, cwd: string, ...args: string[]) => {
  try {
    repo.gitIn(cwd, ...args)
  } catch {
    // git stops in the middle, as it should
  }
}

type Disturb = (repo: TestRepo, worktree: string) => void

/** Lands in that state. @param said what the reason contains. */
async function refuses(
  said: string,
  disturb: Disturb,
  ends: { readonly state: Landing["state"]; readonly task: string },
) {
  let before: unknown
  const state = (repo: TestRepo, worktree: string) =>
    existsSync(worktree) && [
      repo.gitIn(worktree, "status", "--porcelain=v2", "--branch"),
      readFileSync(join(worktree, "README.md"), "utf8"),
      repo.git("for-each-ref", "refs/heads"),
    ]
  const disturbed = (repo: TestRepo, worktree: string) => {
    disturb(repo, worktree)
    before = state(repo, worktree)
  }
  await land(disturbed, (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: ends.state, outcome: "WORKTREE_ERROR" })
    expect(landing.reason).toContain(said)
    expect(it.task(landing.id).state).toBe(ends.task)
    expect(state(it.repo, worktree)).toEqual(before)
  })
}

test.each([
  [
    "a merge with conflicts",
    "merge",
    (repo: TestRepo, worktree: string) => {
      repo.commit({ "a.txt": "theirs\n" }, "M1")
      attempt(repo, worktree, "merge", "main")
    },
  ],
  [
    "a rebase that stopped",
    "rebase",
    (repo: TestRepo, worktree: string) => {
      repo.commit({ "a.txt": "theirs\n" }, "M1")
      attempt(repo, worktree, "rebase", "main")
    },
  ],
  [
    "a cherry-pick that stopped",
    "cherry-pick",
    (repo: TestRepo, worktree: string) => {
      repo.commit({ "a.txt": "theirs\n" }, "M1")
      attempt(repo, worktree, "cherry-pick", "main")
    },
  ],
  [
    "a detached HEAD with commits of its own",
    "is detached and holds commits",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "checkout", "--quiet", "--detach")
      repo.commit({ "own.txt": "own" }, "own", worktree)
    },
  ],
  [
    "a detached HEAD with uncommitted changes",
    "uncommitted changes",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "checkout", "--quiet", "--detach", "HEAD~1")
      repo.write({ "own.txt": "own" }, worktree)
    },
  ],
  [
    "a nested repository",
    "nested/, another repository",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "init", "--quiet", "nested")
      repo.write({ "nested/f": "f" }, worktree)
    },
  ],
  [
    "a worktree of the same repository",
    "nested/, a worktree of this repository on the branch sub",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "worktree", "add", "--quiet", "-b", "sub", "nested")
    },
  ],
])("sends %s back to its agent, and leaves it as it is [17.15]", async (_, said, disturb) => {
  await refuses(said, disturb, { state: "handed_back", task: "working" })
})

test.each([
  [
    "a nested repository that was committed as a link",
    "submodules",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "init", "--quiet", "nested")
      repo.commit({ "nested/f": "f" }, "nested", join(worktree, "nested"))
      repo.gitIn(worktree, "add", "nested")
      repo.gitIn(worktree, "commit", "--quiet", "--message", "link")
    },
  ],
  [
    "another branch, which lacks the task's work",
    "is on other, which lacks commits of feat",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "checkout", "--quiet", "-b", "other", "main")
      repo.commit({ "b.txt": "b" }, "B1", worktree)
    },
  ],
  [
    "a person's branch that the agent only looked at",
    "is on theirs, which was not made there from feat",
    (repo: TestRepo, worktree: string) => {
      repo.git("branch", "theirs", "feat")
      repo.gitIn(worktree, "checkout", "--quiet", "theirs")
      repo.commit({ "unfinished.txt": "u" }, "U1", worktree)
    },
  ],
  [
    "a branch that was born from a person's",
    "was not made there from feat",
    (repo: TestRepo, worktree: string) => {
      repo.git("branch", "theirs", "feat")
      repo.gitIn(worktree, "checkout", "--quiet", "theirs")
      repo.gitIn(worktree, "checkout", "--quiet", "-b", "mine")
    },
  ],
  [
    "neither worktree nor branch",
    "exists any more",
    (repo: TestRepo, worktree: string) => {
      repo.git("worktree", "remove", worktree)
      repo.git("branch", "--quiet", "-D", "feat")
    },
  ],
])("refuses %s, and leaves it as it is [17.9, 26.3]", async (_, said, disturb) => {
  await refuses(said, disturb, { state: "failed", task: "merge_failed" })
})
