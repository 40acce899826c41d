import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { readConfigAt } from "./exec.ts"
import { keepingGits } from "./trace-commands.ts"

/** The value of `advice.y` in a folder, and whether git was asked for it. */
async function ask(cwd: string): Promise<{ value: string | undefined; isCached: boolean }> {
  const gits: string[] = []
  const config = await keepingGits(
    (lines) => gits.push(...lines),
    () => readConfigAt(cwd),
  )
  const value = config.findLast(({ key }) => key === "advice.y")?.value
  return { value, isCached: gits.length === 0 }
}

/** A file that changed a moment ago is not cached yet. */
const untilCached = (cwd: string) =>
  vi.waitFor(async () => expect(await ask(cwd)).toMatchObject({ isCached: true }), {
    timeout: 10_000,
  })

test("git is not asked for the settings of a new worktree, but again once they change", async () => {
  using repo = new TestRepo()
  repo.git("config", "advice.y", "one")
  await untilCached(repo.path)
  const worktree = repo.worktree("new")
  expect(await ask(worktree)).toEqual({ value: "one", isCached: true })
  repo.git("config", "advice.y", "two")
  expect(await ask(worktree)).toEqual({ value: "two", isCached: false })
})

test("a worktree with settings of its own shares none, also when they are new", async () => {
  using repo = new TestRepo()
  const [own, other] = [repo.worktree("own"), repo.worktree("other")]
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "advice.y", "shared")
  await untilCached(other)
  expect(await ask(own)).toEqual({ value: "shared", isCached: true })
  repo.gitIn(own, "config", "--worktree", "advice.y", "own")
  await untilCached(own)
  expect(await ask(own)).toEqual({ value: "own", isCached: true })
  expect(await ask(other)).toEqual({ value: "shared", isCached: true })
  repo.git("config", "--worktree", "advice.y", "main")
  await untilCached(repo.path)
  const values = [repo.path, own, other].map(async (cwd) => (await ask(cwd)).value)
  expect(await Promise.all(values)).toEqual(["main", "own", "shared"])
})

test.each([
  ["include.path", "linked"],
  ["includeIf.gitdir:**/worktrees/linked.path", undefined],
])("worktrees share no settings if the repository's file has %s", async (key, inMain) => {
  using repo = new TestRepo()
  const linked = repo.worktree("linked")
  const file = join(repo.folder, "included")
  writeFileSync(file, "[advice]\n\ty = linked\n")
  repo.git("config", key, file)
  await untilCached(repo.path)
  expect(await ask(linked)).toEqual({ value: "linked", isCached: false })
  expect(await ask(repo.path)).toEqual({ value: inMain, isCached: true })
})

test.each([
  ["include.path", `~${userInfo().username}/nowhere`],
  ["include.path", "%(prefix)/../nowhere"],
  ["includeIf.onbranch:other.path", "~nobody/nowhere"],
])(
  "the repository includes nothing whose place only git can tell: %s %s [14.9]",
  async (key, path) => {
    using repo = new TestRepo()
    repo.git("config", key, path)
    await expect(readConfigAt(repo.path)).rejects.toMatchObject({
      code: "git.repository_refused",
      message: expect.stringContaining(`/.git/config includes ${path}, `),
    })
  },
)

test("the user's own configuration may include such a file; git is then asked every time", async () => {
  using repo = new TestRepo()
  repo.git("config", "advice.y", "one")
  repo.userConfig("include.path", `~${userInfo().username}/nowhere`)
  for (const _ of [1, 2, 3]) expect(await ask(repo.path)).toEqual({ value: "one", isCached: false })
})

test("a change of an included file is seen, whichever way leads to it [14.1]", async () => {
  using repo = new TestRepo()
  const write = (value: string) =>
    writeFileSync(join(repo.folder, "included"), `[advice]\n\ty = ${value}\n`)
  mkdirSync(join(repo.folder, "elsewhere/deep"), { recursive: true })
  symlinkSync(join(repo.folder, "elsewhere/deep"), join(repo.path, ".git/link"))
  repo.git("config", "include.path", "link/../../included")
  write("one")
  await untilCached(repo.path)
  write("second")
  expect(await ask(repo.path)).toEqual({ value: "second", isCached: false })
})

test("HOME is that of the git that reads the configuration", async () => {
  using repo = new TestRepo()
  const file = join(repo.folder, "included")
  repo.git("config", "include.path", "~/included")
  const read = async () => {
    const gits: string[] = []
    const config = await keepingGits(
      (lines) => gits.push(...lines),
      () => readConfigAt(repo.path, { HOME: repo.folder }),
    )
    return { value: config.findLast(({ key }) => key === "advice.y")?.value, gits: gits.length }
  }
  await vi.waitFor(async () => expect(await read()).toEqual({ value: undefined, gits: 0 }))
  writeFileSync(file, "[advice]\n\ty = here\n")
  expect(await read()).toMatchObject({ value: "here" })
})
