/** Scenarios of group T: the target's ref, and the user's checkout. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { branchRef } from "../../src/base/ids.ts"
import { updateRef } from "../../src/kernel/git/change/update-ref.ts"
import { LandingTest } from "../support/landing.ts"
import { type Files, TestRepo } from "../support/repo.ts"
import { land, snapshot, waits } from "../support/target-checkout.ts"

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

test("T02, T03: edits, staged changes and untracked files that do not collide stay and do not block [5.1]", async () => {
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

describe("a file in the way stays as it is, is named, and checked again", () => {
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

  test("an ignored file, which git would overwrite [5.3]", () =>
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

  const nested = (folder: string) => (repo: TestRepo) => {
    repo.write({ [`${folder}/keep.txt`]: "mine" })
    const inside = join(repo.path, folder)
    repo.gitIn(inside, "init", "--quiet")
    repo.gitIn(inside, "add", ".")
    repo.gitIn(inside, "commit", "--quiet", "--message", "theirs")
  }

  test("a file that an ignored nested repository tracks", () =>
    waits({ "build/keep.txt": "b", ".gitignore": "" }, nested("build"), {
      paths: ["build/"],
      free: remove("build"),
    }))

  test("a nested repository where a file of another name goes", () =>
    waits({ "build/in/new.txt": "b", ".gitignore": "" }, nested("build/in"), {
      paths: ["build/in/"],
      free: remove("build"),
    }))

  test("a nested repository in a folder where a file goes", () =>
    waits({ build: "b", ".gitignore": "" }, nested("build/in"), {
      paths: ["build/in/"],
      free: remove("build"),
    }))

  test.each<[string, Files]>([
    ["changed", { "dir/x": "new\n" }],
    ["removed", { "dir/x": null }],
    ["added", { "dir/y": "y\n" }],
  ])("a tracked folder that became a link, where a file in it is %s", (_, files) =>
    waits(
      files,
      (repo) => {
        renameSync(join(repo.path, "dir"), join(repo.folder, "store"))
        symlinkSync("../store", join(repo.path, "dir"))
      },
      {
        paths: ["dir"],
        free: (repo) => {
          expect(readFileSync(join(repo.folder, "store/x"), "utf8")).toBe("x\n")
          rmSync(join(repo.path, "dir"))
          repo.git("checkout", "--", "dir")
        },
      },
    ),
  )

  test.each<[string, Files]>([
    ["changed", { "dir/x": "new\n" }],
    ["removed", { "dir/x": null }],
  ])("the deletion of a file that lands %s", (_, files) =>
    waits(files, remove("dir"), {
      paths: ["dir/x"],
      free: (repo) => repo.git("checkout", "--", "dir"),
    }),
  )

  test("an edit of a file that lands removed", () =>
    waits({ "dir/x": null }, (repo) => repo.write({ "dir/x": "mine\n" }), {
      paths: ["dir/x"],
      free: (repo) => repo.git("checkout", "--", "dir/x"),
    }))
})

test("a file that was only touched, or made executable and back, does not count as edited", async () => {
  const disturb = (repo: TestRepo) => {
    writeFileSync(join(repo.path, "dir/x"), "x\n")
    chmodSync(join(repo.path, "dir/x"), 0o644)
  }
  await land({ "dir/x": "new\n" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.git("status", "--porcelain")).toBe("")
  })
})

test("a file that a sparse checkout leaves out does not count as deleted", async () => {
  const disturb = (repo: TestRepo) =>
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/")
  await land({ "dir/x": "new\n", "a.txt": "a" }, disturb, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.repo.git("status", "--porcelain")).toBe("")
    expect([existsSync(join(it.path, "dir/x")), it.files()["dir/x"]]).toEqual([false, "new"])
  })
})

describe("a user in the middle of an operation is not disturbed", () => {
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
      // git stops in the middle, as it should
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

test("a target that is checked out on a disk that is not mounted waits for it", async () => {
  const away = (repo: TestRepo) => join(repo.folder, "disk.away")
  const disturb = (repo: TestRepo) => {
    repo.git("checkout", "--quiet", "-b", "elsewhere")
    repo.git("worktree", "add", "--quiet", join(repo.folder, "disk/linked"), "main")
    renameSync(join(repo.folder, "disk"), away(repo))
  }
  await land({ "a.txt": "a" }, disturb, async (it, landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN", attempts: 0 })
    expect(landing.reason).toMatch(/not there now; if .* `git worktree remove -f -f /)
    renameSync(away(it.repo), join(it.repo.folder, "disk"))
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ outcome: "LANDED" })
    const linked = join(it.repo.folder, "disk/linked")
    expect(it.repo.gitIn(linked, "status", "--porcelain")).toBe("")
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
  "T12: while %s exists, the landing waits as LOCKED, uses no attempts, and does not remove it",
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

test("T14: if ten processes move a target from the same commit, one wins", async () => {
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
