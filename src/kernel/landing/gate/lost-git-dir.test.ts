import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { snapshot } from "../../../../test/support/target-checkout.ts"

/** The worktree lies inside of the user's checkout, in which there are edits of every kind. */
async function land(gate: string) {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f\n", "g.txt": "g\n", ".gitignore": ".worktrees\n" }, "M0")
  const worktree = join(repo.path, ".worktrees", "feat")
  repo.git("worktree", "add", "--quiet", "-b", "feat", worktree)
  const work = repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  repo.commit({ "m.txt": "m" }, "M1")
  repo.git("update-index", "--assume-unchanged", "g.txt")
  repo.write({ "f.txt": "edited", "g.txt": "hidden", "mine.txt": "untracked" })
  await using it = new LandingTest(repo, { gate })
  const users = () => {
    const files = Object.entries(snapshot(repo.path))
    return {
      files: files.filter(([path]) => !path.startsWith(".worktrees/")),
      index: repo.git("ls-files", "-v", "--stage"),
      head: repo.git("rev-parse", "--symbolic-full-name", "HEAD", "HEAD"),
    }
  }
  const before = users()
  const landing = await it.run(it.submit({ branch: "feat", base: repo.tip("main~1"), worktree }))
  expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
  expect(landing.reason).toContain(`${worktree} is no longer a worktree`)
  expect(users(), "law 5").toEqual(before)
  expect(repo.tip("refs/coppice/1/head")).toBe(work)
}

test.each([
  ["a green gate removes it", "rm .git"],
  ["a red gate removes it", "rm .git; exit 1"],
  ["it names the user's checkout", 'rm .git; echo "gitdir: $(cd ../..; pwd)/.git" > .git'],
  ["it is a link to the user's", "rm .git; ln -s ../../.git .git"],
  [
    "it says that its files are the user's",
    'git config extensions.worktreeConfig true; git config --worktree core.worktree "$(cd ../..; pwd)"',
  ],
])("a worktree inside the user's checkout loses its .git: %s [5.5]", async (_, gate) => {
  await land(gate)
})
