/** Settings of an agent that hide its work from git, or make git take one thing for another. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LINES, lands, type Story, tell } from "../support/lawful.ts"
import type { TestRepo } from "../support/repo.ts"

type Hide = (repo: TestRepo, worktree: string) => void

const main = { "d/x": "X\n", "m.txt": "m" }
const agent =
  (hide: Hide): Story["agent"] =>
  (repo, worktree) => {
    repo.commit({ "a.txt": "a" }, "A1", worktree)
    hide(repo, worktree)
  }
const base: Story["base"] = (repo) => {
  symlinkSync("f.txt", join(repo.path, "link"))
  repo.commit({ "f.txt": "f\n", "d/x": "x\n", "e/y": "y\n", ".gitignore": "*.o\n" }, "M0")
}

test("a program lands as one, even with core.fileMode=false [3.3]", async () => {
  const hide: Hide = (repo, worktree) => {
    repo.git("config", "core.fileMode", "false")
    writeFileSync(join(worktree, "new"), LINES, { mode: 0o755 })
    chmodSync(join(worktree, "f.txt"), 0o755)
  }
  await lands({ base, main, agent: agent(hide) }, ({ repo }) => {
    expect(repo.git("ls-tree", "main", "f.txt", "new")).toMatch(/^100755.*\n100755/)
  })
})

test("a link that became a file lands as a file, even with core.symlinks=false [3.3]", async () => {
  const hide: Hide = (repo, worktree) => {
    repo.git("config", "core.symlinks", "false")
    rmSync(join(worktree, "link"))
    writeFileSync(join(worktree, "link"), "f.txt")
  }
  await lands({ base, main, agent: agent(hide) }, ({ repo }) => {
    expect(repo.git("ls-tree", "main", "link")).toMatch(/^100644/)
  })
})

/** Not told of the file system by its name: macOS has both kinds. */
const tellsCaseApart = !existsSync(import.meta.filename.toUpperCase())

test.runIf(tellsCaseApart)(
  "files whose names differ in case alone land and stay, even with core.ignoreCase=true",
  async () => {
    const hide: Hide = (repo, worktree) => {
      repo.git("config", "core.ignoreCase", "true")
      repo.write({ "F.txt": "F", "E/y": "Y" }, worktree)
    }
    await lands({ base, main, agent: agent(hide) }, ({ repo }) => {
      expect(repo.git("ls-tree", "-r", "--name-only", "main", "F.txt", "E")).toBe("E/y\nF.txt")
    })
    const commit: Hide = (repo, worktree) => {
      hide(repo, worktree)
      repo.gitIn(worktree, "-c", "core.ignoreCase=false", "add", "--all")
      repo.gitIn(worktree, "commit", "--quiet", "--message", "A2")
    }
    const user: Story["user"] = (repo) =>
      repo.write({ "F.txt": "the user's", ".git/info/exclude": "F.txt\n" })
    await tell({ base, main, agent: agent(commit), user }, async (it, { id }) => {
      expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
      expect(readFileSync(join(it.repo.path, "F.txt"), "utf8")).toBe("the user's")
    })
  },
)

test.each<[string, string[]]>([
  ["by patterns", ["--no-cone", "/*", "!/d/"]],
  ["in cones, its index too", ["--cone", "--sparse-index", "e"]],
])("a worktree that was made sparse %s is gated whole, on the target too [3.3]", async (_, how) => {
  const hide: Hide = (repo, worktree) => repo.gitIn(worktree, "sparse-checkout", "set", ...how)
  await lands({ base, main, agent: agent(hide) })
  const gate = "test -f d/x && test ! -f a.txt"
  await tell({ base, main, gate, agent: agent(hide) }, async (it, { id }) => {
    expect((await it.run(id)).outcome).toBe("PRE_MERGE_FAILED") // red because of a.txt, here alone
    expect(it.leftRefs().filter((ref) => ref.includes("/rescue/"))).toEqual([])
  })
})

test("refs that were made to stand for the target are not followed [2.4]", async () => {
  const hide: Hide = (repo) => {
    for (const name of ["head", "candidate"])
      repo.git("symbolic-ref", `refs/coppice/1/${name}`, "refs/heads/main")
  }
  await tell(
    { base, main, gate: "false", handbacksMax: 0, agent: agent(hide) },
    async (it, { id }) => {
      const before = it.tip("main")
      expect((await it.run(id)).state).toBe("waiting") // red on the target too
      expect(it.tip("main")).toBe(before)
    },
  )
  await lands({ base, main, agent: agent(hide) })
})

test("a target that becomes a symbolic ref in the last instant stays one, and does not move", async () => {
  await tell({ base, agent: agent(() => {}) }, async (it, { id }) => {
    const { repo } = it
    it.onPoint = (name) => {
      if (name !== "publishing: looked") return
      it.onPoint = () => {}
      repo.git("branch", "trunk", "main")
      repo.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
    }
    const before = it.tip("main")
    const { state, reason } = await it.run(id)
    expect([state, reason]).toEqual(["failed", expect.stringContaining("is a symbolic ref to")])
    expect(repo.git("symbolic-ref", "refs/heads/main")).toBe("refs/heads/trunk")
    expect(it.tip("trunk")).toBe(before)
  })
})

test("a task's branch that was made to stand for the target does not take it along [2.4]", async () => {
  const hide: Hide = (repo) => repo.git("symbolic-ref", "refs/heads/feat", "refs/heads/main")
  await tell({ base, agent: agent(hide) }, async (it, { id }) => {
    const before = it.tip("main")
    const { state, reason } = await it.run(id)
    expect([state, reason]).toEqual(["failed", expect.stringContaining("the target itself")])
    expect(it.tip("main")).toBe(before)
  })
})

test("a repository of the agent's own in place of its worktree is refused, and kept [4.4]", async () => {
  const hide: Hide = (repo, worktree) => {
    rmSync(join(worktree, ".git"))
    repo.gitIn(worktree, "init", "--quiet", "--initial-branch=feat")
    repo.commit({ "own.txt": "own" }, "own", worktree)
  }
  await tell({ base, agent: agent(hide) }, async (it, { id }, worktree) => {
    const before = it.tip("main")
    const { state, reason } = await it.run(id)
    expect([state, reason]).toEqual(["failed", expect.stringContaining("no longer a worktree of")])
    expect(it.tip("main")).toBe(before)
    expect(it.repo.gitIn(worktree, "log", "-1", "--format=%s")).toBe("own")
    const { repos } = it.task(id)
    const torn = await it.context.workspaces.teardown({
      task: it.task(id).id,
      repo: it.path,
      worktree,
      branch: repos[0]!.branch!,
      safeCommits: [],
      placed: [],
      reason: "it was cancelled",
      before: undefined,
    })
    expect(torn.worktree).toBe("kept")
    expect(it.repo.gitIn(worktree, "log", "-1", "--format=%s")).toBe("own")
  })
})

test("a graft does not make work count as contained in the target [4.1, 14.6]", async () => {
  const hide: Hide = (repo) => {
    mkdirSync(join(repo.path, ".git/info"), { recursive: true })
    const graft = `${repo.tip("main")} ${repo.tip("feat")}\n`
    writeFileSync(join(repo.path, ".git/info/grafts"), graft)
  }
  await tell({ base, agent: agent(hide) }, async (it, { id }, worktree) => {
    const head = it.tip("feat")
    const torn = await it.context.workspaces.teardown({
      task: it.task(id).id,
      repo: it.path,
      worktree,
      branch: "feat",
      safeCommits: [it.tip("main")],
      placed: [],
      reason: "it was cancelled",
      before: undefined,
    })
    expect(torn.rescued.map(({ commit }) => commit)).toEqual([head])
  })
})

test.each<[string, string, string[]]>([
  ["a bare repository", "out/bare.git", ["--bare"]],
  ["a repository deep down", "out/a/b/c/d/e/f/g/h/deep", []],
])("%s among what is ignored keeps the worktree [4.1, 4.3]", async (_, path, how) => {
  const hide: Hide = (repo, worktree) => {
    const inner = join(worktree, path)
    mkdirSync(inner, { recursive: true })
    repo.gitIn(inner, "init", "--quiet", ...how)
    const commit = repo.gitIn(inner, "commit-tree", repo.gitIn(inner, "mktree"), "-m", "own")
    repo.gitIn(inner, "update-ref", "HEAD", commit)
  }
  const ignoring: Story["base"] = (repo) => repo.commit({ ".gitignore": "out/\n*.o\n" }, "M0")
  await tell({ base: ignoring, agent: agent(hide) }, async (it, { id }, worktree) => {
    const landing = await it.run(id)
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(landing.reason).toContain(join(worktree, path))
    expect(existsSync(join(worktree, path))).toBe(true)
  })
})
