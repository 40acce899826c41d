import { chmodSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { GitPath } from "../../../base/ids.ts"
import { noteMade } from "../../git/change/note-made.ts"
import { notePlaced } from "../../workspaces/setup/made-by-set-up.ts"
import type { HandBackDetails } from "../prompts/hand-back.ts"

type Given = { readonly it: LandingTest; readonly repo: TestRepo; readonly worktree: string }

/** A worktree with a placed `.env` and a made `gen.txt`, whose agent has done `work`. */
async function landing(work: (given: Given) => void | Promise<void>) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  repo.commit({ "same.txt": "known to all\n" })
  const worktree = repo.worktree("feat")
  repo.write({ ".env": "TOKEN=1\n", "known.env": "known to all\n", "gen.txt": "g\n" }, worktree)
  const placed = [".env", "known.env"]
  await notePlaced(worktree, placed)
  await noteMade(worktree, ["gen.txt" as GitPath])
  const base = repo.tip("main")
  await work({ it, repo, worktree })
  const { state, outcome, reason, details } = await it.run(
    it.submit({ branch: "feat", base, placed }),
  )
  const landed = repo.git("ls-tree", "-r", "--name-only", "main").split("\n")
  return { state, outcome, reason, paths: (details as HandBackDetails)?.foreign?.paths, landed }
}

const commit = ({ repo, worktree }: Given, ...args: string[]) => {
  repo.gitIn(worktree, "add", ...args)
  repo.gitIn(worktree, "commit", "--quiet", "--message", "work")
}

test("leftovers land without what was placed or made, also where it is staged", async () => {
  const { state, landed } = await landing(({ repo, worktree }) => {
    repo.write({ "work.txt": "w\n" }, worktree)
    repo.gitIn(worktree, "add", "--all")
  })
  expect({ state, landed }).toEqual({
    state: "landed",
    landed: ["README.md", "same.txt", "work.txt"],
  })
})

test("a placed file counts by its path, changed or not; an empty or well-known content does not count [18.5]", async () => {
  const { state, paths } = await landing((given) => {
    given.repo.write(
      { ".env": "TOKEN=2\n", "empty.txt": "", "copy.txt": "known to all\n" },
      given.worktree,
    )
    commit(given, ".env", "empty.txt", "copy.txt")
  })
  expect({ state, paths }).toEqual({ state: "handed_back", paths: [".env"] })
})

test("a copy of a placed file counts under any name, in a commit that a later one takes back too [18.5]", async () => {
  const { outcome, paths } = await landing((given) => {
    given.repo.write({ "deep/[x].ini": "TOKEN=1\n", "work.txt": "w\n" }, given.worktree)
    commit(given, "deep", "work.txt")
    given.repo.gitIn(given.worktree, "rm", "--quiet", "-r", "deep")
    given.repo.gitIn(given.worktree, "commit", "--quiet", "--message", "less")
  })
  expect({ outcome, paths }).toEqual({ outcome: "FOREIGN_FILES", paths: ["deep/[x].ini"] })
})

test("a made file counts where it is as it was made; the agent's own version of it lands", async () => {
  const own = await landing((given) => {
    given.repo.write({ "gen.txt": "the agent's\n" }, given.worktree)
    commit(given, "gen.txt")
  })
  expect(own.landed).toContain("gen.txt")
  const made = await landing((given) => commit(given, "gen.txt"))
  expect(made).toMatchObject({ outcome: "FOREIGN_FILES", paths: ["gen.txt"] })
  expect(made.landed).not.toContain("gen.txt")
})

test("a made file whose mode the agent changed is the agent's, and lands [18.2]", async () => {
  const { state, landed } = await landing(({ worktree }) => {
    chmodSync(join(worktree, "gen.txt"), 0o755)
  })
  expect(state).toBe("landed")
  expect(landed).toContain("gen.txt")
})

test("a made file that a person has put on the target does not block a landing [18.1]", async () => {
  const { state, landed } = await landing((given) => {
    given.repo.write({ "work.txt": "w\n" }, given.worktree)
    commit(given, "gen.txt", "work.txt")
    given.repo.commit({ "gen.txt": "g\n" }, "M1")
  })
  expect(state).toBe("landed")
  expect(landed).toContain("work.txt")
})

test("a file that came from the target by a merge is the target's [18.5]", async () => {
  const { state } = await landing((given) => {
    const { repo, worktree } = given
    repo.commit({ "gen.txt": "g\n", "settings.env": "TOKEN=1\n" }, "M1")
    repo.gitIn(worktree, "clean", "-q", "-f", "gen.txt")
    repo.write({ "work.txt": "w\n" }, worktree)
    commit(given, "work.txt")
    repo.gitIn(worktree, "merge", "--quiet", "--no-edit", "main")
  })
  expect(state).toBe("landed")
})

test("a gate's change to a made file is not taken for work, and the file stays for the next gate [18.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, {
    gate: "echo x >> gen.txt && grep -q g gen.txt && ! test -f bad",
  })
  const worktree = repo.worktree("feat")
  repo.write({ "gen.txt": "g\n" }, worktree)
  await noteMade(worktree, ["gen.txt" as GitPath])
  repo.commit({ "m.txt": "m\n" }, "M1")
  repo.write({ bad: "b\n", "work.txt": "w\n" }, worktree)
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  expect(await it.run(id)).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("?? gen.txt")
  repo.write({ bad: null }, worktree)
  it.resubmit(id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(repo.git("ls-tree", "--name-only", "main", "gen.txt", "bad", "work.txt")).toBe("work.txt")
})
