import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Landing } from "../rows/row.ts"
import { submitWork } from "../submit-work.ts"

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

test("a detached HEAD that the branch contains lands the branch, and its gate tests the branch's tree", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "checkout", "--quiet", "--detach", "HEAD~1")
    repo.commit({ "m.txt": "m" }, "M1")
  }
  const check = (it: LandingTest, landing: Landing) => {
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", races: 0 })
    expect(it.history()).toEqual(["commit", "M1", "A1"])
    expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
  }
  await land(disturb, check, "test -f a.txt && test -f m.txt")
})

test("a branch that the agent renamed is followed, and goes in the end [26.2]", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "branch", "--move", "better-name")
    repo.commit({ "b.txt": "b" }, "B1", worktree)
  }
  await land(disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.history()).toEqual(["commit", "A1", "B1"])
    expect(it.task(landing.id).repos[0]?.branch).toBe("better-name")
    expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
  })
})

/** A branch of the test's is as old as the log says. */
function bornAt(repo: TestRepo, branch: string, seconds: number): void {
  const log = join(repo.path, ".git/logs/refs/heads", branch)
  writeFileSync(log, readFileSync(log, "utf8").replace(/> \d+ /, `> ${seconds} `))
}

test.each([
  [
    "`git checkout -b`",
    (repo: TestRepo, worktree: string) =>
      repo.gitIn(worktree, "checkout", "--quiet", "-b", "my-feature"),
  ],
  [
    "`git switch -c`, twice",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "switch", "--quiet", "-c", "first-try")
      repo.commit({ "c.txt": "c" }, "C1", worktree)
      repo.gitIn(worktree, "switch", "--quiet", "-c", "my-feature")
    },
  ],
  [
    "`git checkout -b` after `git checkout --detach`",
    (repo: TestRepo, worktree: string) => {
      repo.gitIn(worktree, "checkout", "--quiet", "--detach")
      repo.gitIn(worktree, "checkout", "--quiet", "HEAD~0")
      repo.commit({ "c.txt": "c" }, "C1", worktree)
      repo.gitIn(worktree, "checkout", "--quiet", "-b", "my-feature")
    },
  ],
])(
  "a branch that the agent made from its own by %s is followed, and both are gone in the end [26.2]",
  async (_, make) => {
    const disturb = (repo: TestRepo, worktree: string) => {
      make(repo, worktree)
      repo.commit({ "b.txt": "b" }, "B1", worktree)
    }
    await land(disturb, (it, landing) => {
      expect(landing).toMatchObject({ outcome: "LANDED" })
      expect(it.history()).toContain("B1")
      expect(it.task(landing.id).repos[0]?.branch).toBe("my-feature")
      expect(
        it.repo.git("branch", "--format=%(refname:short)", "--list", "feat", "my-feature"),
      ).toBe("")
    })
  },
)

test("a branch that began on a branch that is gone is not followed, and the landing says so [26.3]", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "switch", "--quiet", "-c", "first-try")
    repo.gitIn(worktree, "switch", "--quiet", "-c", "my-feature")
    repo.gitIn(worktree, "branch", "--quiet", "-D", "first-try")
  }
  await land(disturb, (_, landing) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
    expect(landing.reason).toContain("was not made there from feat")
  })
})

test("a worktree that was moved is followed, lands and goes [26.1]", async () => {
  const moved = (repo: TestRepo) => join(repo.folder, "moved")
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.git("worktree", "move", worktree, moved(repo))
    repo.write({ "left.txt": "left" }, moved(repo))
  }
  await land(disturb, (it, landing) => {
    expect(landing).toMatchObject({ outcome: "LANDED" })
    expect(it.files()["left.txt"]).toBe("left")
    expect(existsSync(moved(it.repo))).toBe(false)
    expect(it.repo.git("worktree", "list").split("\n")).toHaveLength(1)
  })
})

test.each<[string, (repo: TestRepo, worktree: string) => void]>([
  ["deleted the old name", (repo) => repo.git("update-ref", "-d", "refs/heads/feat")],
  ["made the new name", (repo, worktree) => repo.gitIn(worktree, "branch", "-m", "better-name")],
])(
  "the work of a rename that was killed when it had %s lands, and no branch stays [26.4]",
  async (_, cut) => {
    const disturb = (repo: TestRepo, worktree: string) => {
      const head = join(repo.gitIn(worktree, "rev-parse", "--absolute-git-dir"), "HEAD")
      const before = readFileSync(head)
      cut(repo, worktree)
      writeFileSync(head, before)
      repo.write({ "left.txt": "left" }, worktree)
    }
    await land(disturb, (it, landing) => {
      expect(landing).toMatchObject({ outcome: "LANDED" })
      expect(it.history("main")).toContain("A1")
      expect(it.files()["left.txt"]).toBe("left")
      expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
    })
  },
)

test("a branch that was there before the task is not followed, though the agent deleted its own [26.3]", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "branch", "mine")
    bornAt(repo, "mine", 1_600_000_000)
    repo.gitIn(worktree, "switch", "--quiet", "mine")
    repo.gitIn(worktree, "branch", "--quiet", "-D", "feat")
    repo.commit({ "b.txt": "b" }, "B1", worktree)
  }
  await land(disturb, (it, landing) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
    expect(landing.reason).toContain("was not made there from feat")
    expect(it.history("mine")).toEqual(["commit", "A1", "B1"])
  })
})

test("a branch that the agent switched to is followed [26.2]", async () => {
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "switch", "--quiet", "-c", "better-name")
    repo.gitIn(worktree, "branch", "--quiet", "-D", "feat")
  }
  await land(disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
  })
})

test("while git's lock on the former branch is held, the landing waits as LOCKED and deletes it later [17.10]", async () => {
  const lock = ".git/refs/heads/feat.lock"
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.gitIn(worktree, "switch", "--quiet", "-c", "better-name")
    repo.write({ [lock]: "" })
  }
  await land(disturb, async (it, landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "LOCKED" })
    it.repo.write({ [lock]: null })
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "landed" })
    expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
  })
})

test("while another process holds the worktree's index, the landing waits as LOCKED and takes all later [17.10]", async () => {
  const lock = (it: LandingTest) => join(it.repo.path, ".git/worktrees/feat/index.lock")
  const disturb = (repo: TestRepo, worktree: string) => {
    repo.write({ "left.txt": "left" }, worktree)
    writeFileSync(join(repo.path, ".git/worktrees/feat/index.lock"), "")
  }
  await land(disturb, async (it, landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "LOCKED" })
    expect(landing.reason).toContain("index.lock")
    rmSync(lock(it))
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ state: "landed" })
    expect(it.files()["left.txt"]).toBe("left")
  })
})

test("while git's lock on the ref that keeps the snapshot is held, the landing waits as LOCKED [17.10]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  const lock = `.git/refs/coppice/${it.landing(id).task}/head.lock`
  repo.write({ [lock]: "" })
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  repo.write({ [lock]: null })
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
})

test("leftovers have the configured message, whatever stands in the title [17.11]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.write({ "left.txt": "left" }, repo.worktree("feat"))
  await it.run(it.submit({ branch: "feat", title: "$& costs $1" }))
  expect(it.history().at(-1)).toBe("agent: $& costs $1")
})

test("a submodule commit that no remote is known to have is refused, wherever its repository lies [17.9]", async () => {
  using repo = new TestRepo()
  using library = new TestRepo()
  const allow = ["-c", "protocol.file.allow=always"]
  repo.git(...allow, "submodule", "--quiet", "add", library.path, "lib")
  repo.commit({}, "add lib")
  await using it = new LandingTest(repo)
  const lib = join(repo.path, "lib")
  const made = repo.commit({ lib: "lib" }, "L1", lib)
  repo.gitIn(lib, "checkout", "--quiet", "HEAD~1")
  const worktree = repo.worktree("feat")
  const bump = (commit: string) => {
    repo.gitIn(worktree, "update-index", "--cacheinfo", `160000,${commit},lib`)
    repo.gitIn(worktree, "commit", "--quiet", "--message", "bump")
    const taken = submitWork(
      it.db,
      {
        title: "bump",
        repos: [{ name: "app", path: repo.path, target: "main", branch: "feat" }],
      },
      it.nowMs,
    )
    return it.run(taken.landing.id)
  }
  expect(await bump(made)).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(/remotes do not have: lib$/),
  })
  repo.gitIn(lib, "push", "--quiet", "origin", `${made}:refs/heads/pushed`)
  expect(await bump("1".repeat(40)), "no repository here has it").toMatchObject({ state: "landed" })
  expect(await bump(made)).toMatchObject({ state: "landed" })
})

test("a submodule commit that its remote does not have is refused [17.9]", async () => {
  using repo = new TestRepo()
  using library = new TestRepo()
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "lib")
  repo.commit({}, "add lib")
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const allow = ["-c", "protocol.file.allow=always"]
  repo.gitIn(worktree, ...allow, "submodule", "--quiet", "update", "--init")
  repo.commit({ lib: "lib" }, "L1", join(worktree, "lib"))
  repo.commit({}, "A1", worktree)
  const landing = await it.run(it.submit({ branch: "feat" }))
  expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
  expect(landing.reason).toContain("lib")
  expect(
    execFileSync("git", ["log", "-1", "--format=%s"], {
      cwd: join(worktree, "lib"),
      encoding: "utf8",
    }),
  ).toBe("L1\n")
})

test.each<[string, (repo: TestRepo, worktree: string) => void]>([
  [
    "a merge",
    (repo, worktree) => {
      repo.commit({ "a.txt": "theirs\n" }, "M1")
      expect(() => repo.gitIn(worktree, "merge", "main")).toThrow()
      repo.write({ "a.txt": "resolved by a person\n" }, worktree)
    },
  ],
  [
    "a rebase",
    (repo, worktree) => {
      repo.commit({ "a.txt": "theirs\n" }, "M1")
      expect(() => repo.gitIn(worktree, "rebase", "main")).toThrow()
      repo.write({ "a.txt": "resolved by a person\n" }, worktree)
    },
  ],
  [
    "a commit on a detached HEAD",
    (repo, worktree) => {
      repo.gitIn(worktree, "checkout", "--quiet", "--detach")
      repo.commit({ "a.txt": "resolved by a person\n" }, "by hand", worktree)
    },
  ],
])(
  "%s that is under way in the worktree is rescued before it goes back to the agent [4.15]",
  async (_, begin) => {
    await land(begin, (it, landing) => {
      expect(landing).toMatchObject({ state: "handed_back", outcome: "WORKTREE_ERROR" })
      expect(it.files("refs/coppice/rescue/1/1")["a.txt"]).toBe("resolved by a person")
      expect(it.trace(landing.id)).toContain("rescue.made")
    })
  },
)
