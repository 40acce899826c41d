/** Where a repository and its parts may lie, and what its refs may be. The laws hold for all. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { findRepository } from "../../src/kernel/git/ask/repository.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

type Layout = {
  /** @returns the user's checkout. */
  readonly lay?: (repo: TestRepo) => string
  readonly agent?: (repo: TestRepo, worktree: string) => void
  readonly main?: (repo: TestRepo, checkout: string) => void
  readonly at?: Readonly<Record<string, (repo: TestRepo) => void>>
}

type Landed = { readonly it: LandingTest; readonly landing: Landing; readonly checkout: string }

/** A task's work lands in the repository of the checkout, in which the user has a file. */
async function land(
  { lay = ({ path }) => path, agent, main, at = {} }: Layout,
  check: (landed: Landed) => void,
): Promise<void> {
  using repo = new TestRepo()
  repo.commit({ "g.txt": "g\n" }, "M0")
  const checkout = lay(repo)
  const path = (await findRepository(checkout))!.root
  await using it = new LandingTest(repo, { path, gate: "test -f n.txt" })
  const worktree = join(repo.folder, "worktrees/feat")
  repo.gitIn(path, "worktree", "add", "--quiet", "-b", "feat", worktree, "main")
  const id = it.submit({ branch: "feat", base: it.tip("main") })
  repo.commit({ "n.txt": "n" }, "A1", worktree)
  agent?.(repo, worktree)
  main?.(repo, checkout)
  writeFileSync(join(checkout, "mine.txt"), "mine")
  it.onPoint = (name) => at[name]?.(repo)
  check({ it, landing: await it.run(id), checkout })
}

const bothMoved = ({ it, landing, checkout }: Landed) => {
  expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", reason: null })
  expect(existsSync(join(checkout, "n.txt"))).toBe(true)
  expect(it.repo.gitIn(checkout, "status", "--porcelain")).toBe("?? mine.txt")
}

describe("target and checkout move together", () => {
  const layouts: Record<string, (repo: TestRepo) => string> = {
    "where the git directory lies elsewhere": (repo) => {
      const path = join(repo.folder, "apart")
      repo.git("clone", "--quiet", `--separate-git-dir=${path}.git`, repo.path, path)
      return path
    },
    "where the git directory is a link": (repo) => {
      renameSync(join(repo.path, ".git"), join(repo.folder, "real.git"))
      symlinkSync(join(repo.folder, "real.git"), join(repo.path, ".git"))
      return repo.path
    },
    "where core.worktree says": (repo) => {
      const path = join(repo.folder, "elsewhere")
      renameSync(repo.path, path)
      renameSync(join(path, ".git"), join(repo.folder, "kept.git"))
      writeFileSync(join(path, ".git"), `gitdir: ${repo.folder}/kept.git\n`)
      repo.gitIn(path, "config", "core.worktree", path)
      mkdirSync(repo.path)
      return path
    },
    "in a submodule of another repository": (repo) => {
      const whole = join(repo.folder, "whole")
      repo.git("init", "--quiet", whole)
      const args = ["submodule", "add", "--quiet", repo.path, "sub"]
      repo.gitIn(whole, "-c", "protocol.file.allow=always", ...args)
      return join(whole, "sub")
    },
    "in a worktree of a bare repository in a folder of its own": (repo) => {
      const folder = join(repo.folder, "project")
      repo.git("clone", "--quiet", "--bare", repo.path, join(folder, ".bare"))
      writeFileSync(join(folder, ".git"), "gitdir: ./.bare\n")
      repo.gitIn(folder, "worktree", "add", "--quiet", "main", "main")
      return join(folder, "main")
    },
    "in a folder with a name that shells would take apart": (repo) => {
      const path = join(repo.folder, ` we'ird $(x) "é `)
      renameSync(repo.path, path)
      Object.assign(repo, { path })
      return path
    },
    "where the user is on another name of the target": (repo) => {
      repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
      repo.git("checkout", "--quiet", "alias")
      return repo.path
    },
    "in a repository with submodules": (repo) => {
      repo.clone("lib.git", "--bare")
      const args = ["submodule", "add", "--quiet", join(repo.folder, "lib.git"), "lib"]
      repo.git("-c", "protocol.file.allow=always", ...args)
      repo.git("commit", "--quiet", "--message", "lib")
      return repo.path
    },
  }
  test.each(Object.entries(layouts))("%s", async (_, lay) => {
    await land({ lay }, bothMoved)
  })

  test("in a shallow clone, on top of a newer target", async () => {
    const lay = (repo: TestRepo) => {
      const path = join(repo.folder, "shallow")
      repo.git("clone", "--quiet", "--depth=1", `file://${repo.path}`, path)
      return path
    }
    const main = (repo: TestRepo, checkout: string) => {
      repo.commit({ "m.txt": "m" }, "M1", checkout)
    }
    await land({ lay, main }, bothMoved)
  })
})

describe("a target", () => {
  test("a target that only stands for another branch is refused, and both stay [2.4]", async () => {
    const lay = (repo: TestRepo) => {
      repo.git("branch", "--move", "main", "trunk")
      repo.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
      return repo.path
    }
    await land({ lay }, ({ it, landing }) => {
      expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
      expect(landing.reason).toContain("is a symbolic ref to refs/heads/trunk")
      expect(it.history("trunk")).toEqual(["commit", "M0"])
      expect(it.repo.git("symbolic-ref", "refs/heads/main")).toBe("refs/heads/trunk")
    })
  })

  const elsewhere = (repo: TestRepo) => {
    repo.git("checkout", "--quiet", "-b", "elsewhere")
    return repo.path
  }
  test.each(["preparing: before", "publishing: looked"])(
    "a target that is deleted at %s is not made again [2.5]",
    async (point) => {
      const remove = (repo: TestRepo) => {
        if (repo.git("branch", "--list", "main") !== "") repo.git("branch", "-D", "main")
      }
      await land({ lay: elsewhere, at: { [point]: remove } }, ({ it, landing }) => {
        expect(landing).toMatchObject({ state: "waiting", outcome: "TARGET_GONE" })
        expect(landing.reason).toContain("no longer exists")
        expect(it.repo.git("branch", "--list", "main")).toBe("")
        expect(it.history("feat")).toEqual(["commit", "M0", "A1"])
      })
    },
  )

  test("a target that is checked out while it moves takes that checkout along [5.2]", async () => {
    // The user's git has written files and index; that it writes HEAD last is what makes the gap.
    const arrive = (repo: TestRepo) => repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    await land({ lay: elsewhere, at: { "advance: ref moved": arrive } }, bothMoved)
  })
})

test("a worktree whose .git is gone is refused, and stays", async () => {
  const agent = (_: TestRepo, worktree: string) => rmSync(join(worktree, ".git"))
  await land({ agent }, ({ it, landing }) => {
    expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
    expect(landing.reason).toContain("is no longer a worktree of")
    expect(existsSync(join(it.repo.folder, "worktrees/feat/n.txt"))).toBe(true)
  })
})

test("a filter that fails in the user's checkout leaves all as it was [5.1]", async () => {
  const lay = (repo: TestRepo) => {
    const set = { "filter.f.clean": "cat", "filter.f.smudge": "cat", "filter.f.required": "true" }
    for (const [key, value] of Object.entries(set)) repo.userConfig(key, value)
    repo.commit({ ".gitattributes": "*.up filter=f\n", "z.txt": "z" }, "M1")
    return repo.path
  }
  const agent = (repo: TestRepo, worktree: string) => {
    repo.commit({ "a.txt": "a", "m.up": "m", "z.txt": "Z" }, "A2", worktree)
  }
  const fail = (repo: TestRepo) => repo.userConfig("filter.f.smudge", "cat; false")
  await land({ lay, agent, at: { "publishing: before": fail } }, ({ it, landing, checkout }) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
    expect(it.history()).toEqual(["commit", "M0", "M1"])
    expect(it.repo.gitIn(checkout, "status", "--porcelain")).toBe("?? mine.txt")
  })
})
