import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"

/** An agent that makes a branch before its first commit. */
async function landFrom(begin: (repo: TestRepo, worktree: string) => void) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const worktree = repo.worktree("feat")
  repo.git("branch", "theirs")
  repo.commit({ "theirs.txt": "t" }, "T1", repo.worktree("theirs-tree"))
  repo.git("branch", "--force", "theirs", "theirs-tree")
  const id = it.submit({ branch: "feat" })
  begin(repo, worktree)
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const { outcome, reason } = await it.run(id)
  return {
    outcome,
    reason,
    history: it.history("main"),
    branches: repo.git("branch", "--list", "mine"),
  }
}

test.each<[string, (repo: TestRepo, worktree: string) => void]>([
  [
    "from the target by name",
    (repo, worktree) => repo.gitIn(worktree, "checkout", "--quiet", "-b", "mine", "main"),
  ],
  [
    "from a target that has moved on",
    (repo, worktree) => {
      repo.commit({ "m.txt": "m" }, "M1")
      repo.gitIn(worktree, "switch", "--quiet", "-c", "mine", "main")
    },
  ],
  [
    "by two commands",
    (repo, worktree) => {
      repo.gitIn(worktree, "branch", "mine")
      repo.gitIn(worktree, "switch", "--quiet", "mine")
    },
  ],
])("a branch that the agent made %s is followed, and goes in the end [26.2]", async (_, begin) => {
  const { outcome, history, branches } = await landFrom(begin)
  expect({ outcome, branches }).toEqual({ outcome: "LANDED", branches: "" })
  expect(history.at(-1)).toBe("A1")
})

test("a branch that the agent made from another's commits is not followed [26.3]", async () => {
  const { outcome, reason, history } = await landFrom((repo, worktree) =>
    repo.gitIn(worktree, "checkout", "--quiet", "-b", "mine", "theirs"),
  )
  expect(outcome).toBe("WORKTREE_ERROR")
  expect(reason).toContain("was not made there from feat")
  expect(history).toEqual(["commit"])
})
