import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"

type Given = {
  readonly it: LandingTest
  readonly repo: TestRepo
  readonly worktree: string
  /** As the agent, in the worktree. */
  git(...args: string[]): string
}

/** A person's last commit on the target, an agent that does `work`, and the landing of that. */
async function landing(work: (given: Given) => void, { isRoot = false } = {}) {
  using repo = new TestRepo({ commit: false })
  await using it = new LandingTest(repo, { gate: false })
  if (!isRoot) repo.commit({ "README.md": "hello\n" }, "First")
  const base = repo.commit({ "a.txt": "a person's\n", "b.txt": "b\n" }, "A person's")
  const worktree = repo.worktree("feat")
  const name = { GIT_AUTHOR_NAME: "agent", GIT_COMMITTER_NAME: "agent" }
  const at = { cwd: worktree, env: { ...repo.env, ...name }, encoding: "utf8" } as const
  const git = (...args: string[]) => execFileSync("git", args, at).trim()
  work({ it, repo, worktree, git })
  const before = repo.tip("main")
  const { state, reason } = await it.run(it.submit({ branch: "feat", base, title: "The task" }))
  const log = repo.git("log", "--reverse", "--format=%an: %s", `${before}..main`).split("\n")
  const isOnTop = repo.git("merge-base", before, "main") === before
  return { state, reason, log, isOnTop, files: it.files() }
}

const FILES = { "a.txt": "a person's, and the agent's", "b.txt": "b", "w.txt": "w" }
const write = ({ repo, worktree }: Given) => {
  repo.write({ "a.txt": "a person's, and the agent's\n", "w.txt": "w\n" }, worktree)
  repo.gitIn(worktree, "add", "--all")
}

test.each([
  { what: "the last commit", isRoot: false },
  { what: "the only commit", isRoot: true },
])(
  "an agent that amends $what of the target lands a commit of its own [17.16]",
  async ({ isRoot }) => {
    const { log, files, ...rest } = await landing(
      (given) => {
        write(given)
        given.git("commit", "--quiet", "--amend", "--no-edit")
        given.git("commit", "--quiet", "--amend", "--no-edit")
      },
      { isRoot },
    )
    expect(rest).toMatchObject({ state: "landed", isOnTop: true })
    expect(log).toEqual(["agent: agent: The task"])
    expect(files).toMatchObject(FILES)
  },
)

test("an agent that resets softly over commits of the target lands its own change alone [17.16]", async () => {
  const { log, files, ...rest } = await landing((given) => {
    write(given)
    given.git("reset", "--quiet", "--soft", "HEAD~1")
    given.git("commit", "--quiet", "--message", "Mine")
    given.repo.write({ "later.txt": "later\n" }, given.worktree)
    given.git("add", "--all")
    given.git("commit", "--quiet", "--message", "Later")
    given.repo.commit({ "m.txt": "m\n" }, "Meanwhile")
  })
  expect(rest).toMatchObject({ state: "landed", isOnTop: true })
  expect(log).toEqual(["agent: Mine", "agent: Later"])
  expect(files).toMatchObject({ ...FILES, "later.txt": "later", "m.txt": "m" })
})

test("an agent that amends the newest commit of the target, after a rebase, lands its own change [17.16]", async () => {
  const { log, files, ...rest } = await landing((given) => {
    given.repo.commit({ "a.txt": "newer\n" }, "Newer")
    given.git("rebase", "--quiet", "main")
    write(given)
    given.git("commit", "--quiet", "--amend", "--message", "Mine")
    given.repo.commit({ "m.txt": "m\n" }, "Meanwhile")
  })
  expect(rest).toMatchObject({ state: "landed", isOnTop: true })
  expect(log).toEqual(["agent: Mine"])
  expect(files).toMatchObject({ ...FILES, "m.txt": "m" })
})

test("work that went back to an older commit keeps what the target has [17.16]", async () => {
  const { log, files, ...rest } = await landing((given) => {
    given.git("reset", "--quiet", "--hard", "HEAD~1")
    given.repo.write({ "w.txt": "w\n" }, given.worktree)
    given.git("add", "--all")
    given.git("commit", "--quiet", "--message", "Mine")
  })
  expect(rest).toMatchObject({ state: "landed", isOnTop: true })
  expect(log).toEqual(["agent: Mine"])
  expect(files).toMatchObject({ "a.txt": "a person's", "b.txt": "b", "w.txt": "w" })
})
