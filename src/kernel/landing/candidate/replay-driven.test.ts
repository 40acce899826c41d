import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { Crash, LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"

afterEach(() => vi.unstubAllEnvs())

/** Both sides add a line at the same place of a file; `driver` is a shell command of git's. */
function start(
  repo: TestRepo,
  driver: string,
  attributes = "log.txt merge=both\n",
  options: LandingTestOptions = {},
) {
  repo.userConfig("merge.both.driver", driver)
  repo.commit({ "log.txt": "start\n", ".gitattributes": attributes }, "M0")
  const it = new LandingTest(repo, options)
  const worktree = repo.worktree("feat")
  repo.commit({ "log.txt": "start\nours 1\n" }, "A1", worktree)
  repo.commit({ "log.txt": "start\nours 1\nours 2\n" }, "A2", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "log.txt": "start\ntheirs\n" }, "M1")
  return { it, id }
}

/** git's own way of keeping both sides' lines, and a sign that it ran. */
const BOTH = 'echo ran >> "$HOME/ran"; git merge-file --union %A %O %B'

function left(repo: TestRepo): string[] {
  const folder = join(repo.folder, "app.worktrees")
  const listed = repo.git("worktree", "list", "--porcelain").match(/^worktree .*landing-.*/gm) ?? []
  return [...listed, ...(existsSync(folder) ? readdirSync(folder) : [])]
}

test("a file that has a merge driver is merged by it, commit by commit, in a disposable worktree [17.8]", async () => {
  using repo = new TestRepo()
  const { it, id } = start(repo, BOTH)
  await using _ = it
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.history()).toEqual(["commit", "M0", "M1", "A1", "A2"])
  expect(it.files()["log.txt"]).toBe("start\ntheirs\nours 1\nours 2")
  expect(existsSync(join(repo.folder, "ran"))).toBe(true)
  await it.settled()
  expect(left(repo)).toEqual([])
  expect(repo.git("status", "--porcelain")).toBe("")
})

test("a file that its driver cannot merge is a conflict, and so is a file without a driver [17.8]", async () => {
  using repo = new TestRepo()
  const { it, id } = start(repo, "exit 1")
  await using _ = it
  expect(await it.run(id)).toMatchObject({ state: "handed_back", outcome: "SQUASH_CONFLICT" })
  await it.settled()
  expect(left(repo)).toEqual([])

  using other = new TestRepo()
  const without = start(other, BOTH, "other.txt merge=both\n")
  await using __ = without.it
  expect(await without.it.run(without.id)).toMatchObject({ outcome: "SQUASH_CONFLICT" })
  expect(existsSync(join(other.folder, "ran"))).toBe(false)
})

test.each(["added to merge in", "merged"])(
  "cut when it is %s, it lands, and leaves nothing",
  async (point) => {
    using repo = new TestRepo()
    const { it, id } = start(repo, BOTH)
    await using _ = it
    let cuts = 0
    it.onPoint = (name) => {
      if (name === `fresh worktree: ${point}` && cuts++ === 0) throw new Crash()
    }
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(cuts).toBeGreaterThan(0)
    await it.settled()
    expect(left(repo)).toEqual([])
  },
)

test("with a contained agent a driver runs with the daemon's variables, and no program on the agent's PATH [43.40]", async () => {
  using repo = new TestRepo()
  const bin = join(repo.folder, "bin")
  const mark = join(repo.folder, "mark")
  mkdirSync(bin)
  for (const name of ["env", "git"]) {
    const real = execFileSync("which", [name], { encoding: "utf8" }).trim()
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${mark}\nexec ${real} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  vi.stubEnv("HOME", repo.folder)
  const env = { PATH: `${bin}:${process.env["PATH"]}` }
  const { it, id } = start(repo, BOTH, undefined, { env, outside: [] })
  await using _ = it
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(existsSync(join(repo.folder, "ran"))).toBe(true)
  expect(existsSync(mark)).toBe(false)
})
