/** Scenarios of group T: the target's ref, and the user's checkout. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { branchRef } from "../../src/core/ids.ts"
import { updateRef } from "../../src/git/update-ref.ts"
import type { Landing } from "../../src/store/landings/row.ts"
import { LandingTest } from "../support/landing.ts"
import { type Files, TestRepo } from "../support/repo.ts"

/** Every byte of a checkout beside git's own, with modes of links and index as git sees them. */
function snapshot(path: string): Record<string, string> {
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
async function land(
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
async function waits(
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

test("T01: a user on another branch with an untracked file sees nothing of it", async () => {
  const disturb = (repo: TestRepo) => {
    repo.git("checkout", "--quiet", "-b", "user/work")
    repo.write({ "dirty_file.txt": "mine" })
  }
  await land({ "a.txt": "a" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.files()["a.txt"]).toBe("a")
    expect(it.repo.git("symbolic-ref", "HEAD")).toBe("refs/heads/user/work")
    expect(it.repo.git("status", "--porcelain")).toBe("?? dirty_file.txt")
    expect(existsSync(join(it.path, "a.txt"))).toBe(false)
  })
})

test("T02, T03: edits, staged changes and untracked files that do not collide stay and do not block", async () => {
  const disturb = (repo: TestRepo) => {
    repo.write({
      "other.txt": "edited\n",
      "staged.txt": "staged\n",
      "notes.txt": "notes\n",
      "x.o": "o",
    })
    repo.git("add", "staged.txt")
    repo.write({ "staged.txt": "staged and edited\n" })
  }
  await land({ "a.txt": "a", "dir/x": "new\n" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.git("status", "--porcelain")).toBe("M other.txt\nAM staged.txt\n?? notes.txt")
    expect(snapshot(it.path)).toMatchObject({
      "other.txt": "edited\n",
      "staged.txt": "staged and edited\n",
      "notes.txt": "notes\n",
      "x.o": "o",
      "a.txt": "a",
      "dir/x": "new\n",
    })
    expect(it.repo.git("show", ":staged.txt")).toBe("staged")
  })
})

describe("what is in the way is left as it is, named, and looked at again", () => {
  const remove =
    (...paths: string[]) =>
    (repo: TestRepo) =>
      paths.map((path) => rmSync(join(repo.path, path), { recursive: true }))

  test("T04: an untracked file", () =>
    waits({ "u.txt": "u" }, (repo) => repo.write({ "u.txt": "mine" }), {
      paths: ["u.txt"],
      free: remove("u.txt"),
    }))

  test("T04: an untracked file with the very bytes that land", () =>
    waits({ "u.txt": "u" }, (repo) => repo.write({ "u.txt": "u" }), {
      paths: ["u.txt"],
      free: remove("u.txt"),
    }))

  test("T07: an untracked file that the user's status does not show", () =>
    waits(
      { "u.txt": "u" },
      (repo) => {
        repo.git("config", "status.showUntrackedFiles", "no")
        repo.write({ "u.txt": "mine" })
      },
      { paths: ["u.txt"], free: remove("u.txt") },
    ))

  test("an ignored file, which git would overwrite", () =>
    waits({ "keep.o": "o", ".gitignore": "" }, (repo) => repo.write({ "keep.o": "mine" }), {
      paths: ["keep.o"],
      free: remove("keep.o"),
    }))

  test("an ignored folder where a file goes", () =>
    waits({ build: "file", ".gitignore": "" }, (repo) => repo.write({ "build/a": "mine" }), {
      paths: ["build/a"],
      free: remove("build"),
    }))

  test("an ignored file where a folder goes", () =>
    waits({ "x.o/in": "o", ".gitignore": "" }, (repo) => repo.write({ "x.o": "mine" }), {
      paths: ["x.o"],
      free: remove("x.o"),
    }))

  test("an ignored link to nowhere", () =>
    waits(
      { "keep.o": "o", ".gitignore": "" },
      (repo) => symlinkSync("nowhere", join(repo.path, "keep.o")),
      { paths: ["keep.o"], free: remove("keep.o") },
    ))

  test("an edit", () =>
    waits({ "dir/x": "new\n" }, (repo) => repo.write({ "dir/x": "mine\n" }), {
      paths: ["dir/x"],
      free: (repo) => repo.git("checkout", "--", "dir/x"),
    }))

  test("a staged change whose file is as it was", () =>
    waits(
      { "dir/x": "new\n" },
      (repo) => {
        repo.write({ "dir/x": "mine\n" })
        repo.git("add", "dir/x")
        repo.write({ "dir/x": "x\n" })
      },
      { paths: ["dir/x"], free: (repo) => repo.git("reset", "--quiet", "--hard") },
    ))

  test("an edit of a file that lands removed", () =>
    waits({ "dir/x": null }, (repo) => repo.write({ "dir/x": "mine\n" }), {
      paths: ["dir/x"],
      free: (repo) => repo.git("checkout", "--", "dir/x"),
    }))
})

test("a file that was only touched, or made executable and back, is no edit", async () => {
  const disturb = (repo: TestRepo) => {
    writeFileSync(join(repo.path, "dir/x"), "x\n")
    chmodSync(join(repo.path, "dir/x"), 0o644)
  }
  await land({ "dir/x": "new\n" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.git("status", "--porcelain")).toBe("")
  })
})

describe("a user in the middle of something is not disturbed", () => {
  const busy: [string, (repo: TestRepo) => void, string[]][] = [
    [
      "merge",
      (repo) => {
        repo.git("branch", "side", "HEAD~1")
        repo.git("checkout", "--quiet", "side")
        repo.commit({ side: "s" })
        repo.git("checkout", "--quiet", "main")
        repo.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
      },
      ["merge", "--abort"],
    ],
    [
      "rebase",
      (repo) => {
        const old = repo.tip("HEAD~1")
        tryGit(repo, "-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-i", old)
      },
      ["rebase", "--abort"],
    ],
    [
      "cherry-pick",
      (repo) => {
        repo.git("checkout", "--quiet", "-b", "side", "HEAD~1")
        repo.commit({ "other.txt": "side\n" })
        repo.git("checkout", "--quiet", "main")
        tryGit(repo, "cherry-pick", "side")
      },
      ["cherry-pick", "--abort"],
    ],
    ["revert", (repo) => repo.git("revert", "--no-commit", "HEAD"), ["revert", "--abort"]],
    [
      "bisect",
      (repo) => {
        repo.git("bisect", "start")
        repo.git("bisect", "bad", "HEAD")
        repo.git("checkout", "--quiet", "HEAD~1")
      },
      ["bisect", "reset"],
    ],
  ]
  const tryGit = (repo: TestRepo, ...args: string[]) => {
    try {
      repo.git(...args)
    } catch {
      // it stops in the middle, as it should
    }
  }

  test.each(busy)("%s", async (kind, begin, end) => {
    await land({ "a.txt": "a" }, begin, async (it, landing) => {
      expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
      expect(landing.reason).toContain(`a ${kind} is in progress`)
      expect(it.history()).toEqual(["commit", "M0"])
      it.repo.git(...end)
      it.wake(landing.id)
      expect(await it.run(landing.id)).toMatchObject({ outcome: "LANDED" })
      expect(it.repo.git("status", "--porcelain")).toBe("")
    })
  })
})

test("T10: a detached HEAD at the target's tip keeps its edits and its place", async () => {
  const disturb = (repo: TestRepo) => {
    repo.git("checkout", "--quiet", "--detach")
    repo.write({ "other.txt": "mine\n", "a.txt": "mine too" })
  }
  await land({ "a.txt": "a" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.history()).toEqual(["commit", "M0", "A1"])
    expect(it.repo.tip("HEAD")).toBe(it.tip("main~1"))
    expect(it.repo.git("status", "--porcelain")).toBe("M other.txt\n?? a.txt")
  })
})

test("T11: lands in a bare repository, rebased or not", async () => {
  using repo = new TestRepo()
  const path = repo.clone("bare.git", "--bare")
  await using it = new LandingTest(repo, { path })
  for (const branch of ["one", "two"]) {
    const worktree = join(repo.folder, "worktrees", branch)
    repo.gitIn(path, "worktree", "add", "--quiet", "-b", branch, worktree, "main~0")
    if (branch === "two") repo.gitIn(worktree, "reset", "--quiet", "--hard", "main~1")
    repo.commit({ [branch]: branch }, branch, worktree)
    const landing = await it.run(it.submit({ branch, base: it.tip(`${branch}~1`) }))
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", reason: null })
  }
  expect(it.history()).toEqual(["commit", "one", "two"])
})

test("a target that is checked out in a linked worktree advances there", async () => {
  const disturb = (repo: TestRepo) => {
    repo.git("checkout", "--quiet", "-b", "elsewhere")
    repo.git("worktree", "add", "--quiet", join(repo.folder, "linked"), "main")
  }
  await land({ "a.txt": "a", "dir/x": null }, disturb, (it, landing) => {
    const linked = join(it.repo.folder, "linked")
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.gitIn(linked, "status", "--porcelain")).toBe("")
    expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("a")
    expect(it.repo.git("status", "--porcelain")).toBe("")
    expect(it.repo.tip("HEAD")).toBe(it.tip("main~1"))
  })
})

test("a target that is checked out twice waits, because only one checkout could advance", async () => {
  const disturb = (repo: TestRepo) => {
    repo.git("worktree", "add", "--quiet", "--force", join(repo.folder, "linked"), "main")
  }
  await land({ "a.txt": "a" }, disturb, (it, landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
    expect(landing.reason).toContain("checked out twice")
    expect(it.history()).toEqual(["commit", "M0"])
  })
})

test.each(["index.lock", "HEAD.lock", "refs/heads/main.lock"])(
  "T12: while %s is there, the landing waits as LOCKED, uses no attempts, and leaves it",
  async (name) => {
    const lock = (repo: TestRepo) => join(repo.path, ".git", name)
    const disturb = (repo: TestRepo) => writeFileSync(lock(repo), "")
    await land({ "a.txt": "a" }, disturb, async (it, landing) => {
      expect(landing).toMatchObject({ state: "waiting", outcome: "LOCKED", attempts: 0 })
      expect([it.history(), existsSync(join(it.path, "a.txt"))]).toEqual([["commit", "M0"], false])
      it.wake(landing.id)
      expect(await it.run(landing.id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
      rmSync(lock(it.repo))
      it.wake(landing.id)
      expect(await it.run(landing.id)).toMatchObject({ state: "landed", attempts: 0, races: 0 })
      expect(it.repo.git("status", "--porcelain")).toBe("")
    })
  },
)

test("T14: of ten who move a target from the same commit, one wins", async () => {
  using repo = new TestRepo()
  const from = repo.tip("main")
  const tips = Array.from({ length: 10 }, (_, n) =>
    repo.git("commit-tree", `${from}^{tree}`, "-p", from, "-m", `${n}`),
  )
  const moves = await Promise.all(
    tips.map((to) =>
      updateRef(repo.path, { ref: branchRef("main"), from, to: to as typeof from, reason: "race" }),
    ),
  )
  expect(moves.filter(({ kind }) => kind === "moved")).toHaveLength(1)
})

test("a task's branch may delete folders, turn files into folders and back, and change modes", async () => {
  using repo = new TestRepo()
  repo.commit({ "a/b/c": "c", file: "file", run: "#!/bin/sh\n", "d/e": "e" }, "M0")
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  rmSync(join(worktree, "a"), { recursive: true })
  repo.write({ file: null, "d/e": null }, worktree)
  rmSync(join(worktree, "d"), { recursive: true, force: true })
  mkdirSync(join(worktree, "file"))
  repo.write({ a: "now a file", "file/in": "now a folder" }, worktree)
  chmodSync(join(worktree, "run"), 0o755)
  symlinkSync("run", join(worktree, "link"))
  const landing = await it.run(it.submit({ branch: "feat" }))
  expect(landing).toMatchObject({ outcome: "LANDED", reason: null })
  expect(repo.git("status", "--porcelain")).toBe("")
  expect(Object.keys(it.files()).sort()).toEqual(["README.md", "a", "file/in", "link", "run"])
  expect(repo.git("ls-files", "--stage", "run")).toMatch(/^100755/)
})
